/** The provider contract against the real Codex binary. */
import { afterAll } from 'vitest'

import { startCodexRig, stopCodexLab } from '../kit/codex-rig.ts'
import { sideProviderContract } from './contract.ts'

afterAll(stopCodexLab)

sideProviderContract('codex', startCodexRig, {
  cannot: { T5: 'a Codex side runs with approvals never, and its question tool exists in plan mode only' },
})

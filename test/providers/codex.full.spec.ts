/** The provider contract against the real Codex binary. */
import { afterAll } from 'vitest'

import { startCodexRig, stopCodexLab } from '../kit/codex-rig.ts'
import { sideProviderContract } from './contract.ts'

afterAll(stopCodexLab)

sideProviderContract('codex', startCodexRig, {
  cannot: {
    P5: 'what a fork of Codex was made without (MCP servers, web search) does not come back: a new side quotes what was said',
    T5: 'a Codex side runs with approvals never, and its question tool exists in plan mode only',
  },
})

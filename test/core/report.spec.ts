/** What of a failure reaches the host's log: which side, which step, where in the code; never a word of a person. */
import { expect, it } from 'vitest'

import { SideError, toSideError } from '../../src/core/errors.ts'
import { logLine } from '../../src/core/report.ts'
import type { ControllerReport } from '../../src/core/controller.ts'
import { identity } from './rig.ts'

const foreign = new Error('cannot store "SECRET QUESTION\n    at SECRET (answer:1:1)"', {
  cause: new TypeError('SECRET CAUSE'),
})

it.each<ControllerReport>([
  {
    kind: 'cleanup_failed',
    identity: identity('side-1'),
    providerSessionId: 'child-1',
    attempts: 2,
    error: toSideError(foreign),
  },
  { kind: 'cleanup_done', identity: identity('side-1'), providerSessionId: 'child-1', attempts: 2 },
  { kind: 'wrong_identity', identity: identity('side-1'), detail: 'child child-1 of parent-1 for side side-1' },
  { kind: 'listener_failed', error: foreign },
  { kind: 'listener_failed', error: 'SECRET STRING' },
  { kind: 'detached_failed', step: 'event', error: new SideError('provider_error', 'the host failed', foreign) },
])('says $kind in one line without foreign words', (report) => {
  const line = logLine(report)
  expect(line).toMatch(new RegExp(`^${report.kind}: `))
  expect(line).not.toContain('SECRET')
  if ('identity' in report) expect(line).toContain('side-1')
})

it('tells where it happened, and all codes on the way', () => {
  const line = logLine({ kind: 'detached_failed', step: 'event', error: toSideError(foreign) })
  expect(line).toContain('event: SideError provider_error, caused by Error, caused by TypeError')
  expect(line).toContain('report.spec.ts')
})

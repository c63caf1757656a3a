/** What a person reads when the host cannot be installed. The outputs are pnpm 10's, shortened. */
import { describe, expect, it } from 'vitest'

import { reasonOf } from '../../dev/host/install.ts'

const OFFLINE =
  'The host could not be fetched: the npm registry is not reachable. Check the network (and the proxy settings of npm), then run it again.'

describe('a failed installation of the host', () => {
  it.each([
    [
      'nothing listens',
      ' ECONNREFUSED  request to http://127.0.0.1:9/a.tgz failed, reason: connect ECONNREFUSED 127.0.0.1:9',
    ],
    [
      'no name server',
      ' WARN  GET http://nowhere.invalid/a.tgz error (ENOTFOUND). Will retry in 1 second. 2 retries left.',
    ],
    ['a lost line', ' ETIMEDOUT  request to http://192.0.2.1/a.tgz failed'],
  ])('is put down to the network: %s', (_name, output) => {
    expect(reasonOf(output)).toBe(OFFLINE)
  })

  it('is put down to a full disk', () => {
    expect(reasonOf(' ENOSPC  ENOSPC: no space left on device, write')).toContain('the disk is full')
  })

  it('otherwise quotes the end of what pnpm said', () => {
    expect(reasonOf(`${'x\n'.repeat(50)} ERR_PNPM_OUTDATED_LOCKFILE  Cannot install`)).toMatch(
      /pnpm said:\n[^]*ERR_PNPM_OUTDATED_LOCKFILE/,
    )
  })
})

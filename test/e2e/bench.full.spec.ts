/** The bench runs to its end and finds what holds on every machine: bytes, not times. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Figure } from '../../bench/figure.ts'

const ROOT = join(import.meta.dirname, '../..')
let folder: string
let figures: (Figure & { ratio: number })[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), `sidemind-${process.pid}-`))
  const file = join(folder, 'bench.json')
  await promisify(execFile)(process.execPath, ['bench/run.ts', '--quick', '--json', file], { cwd: ROOT })
  figures = JSON.parse(await readFile(file, 'utf8')).figures
}, 600_000)
afterAll(() => rm(folder, { recursive: true }))

describe('npm run bench', () => {
  it('prints every figure with its baseline', () => {
    // The processor's time is told on Linux alone.
    expect(new Set(figures.map(({ what }) => what)).size).toBe(process.platform === 'linux' ? 21 : 20)
    for (const { ours, ratio, baseline, unit } of figures) {
      expect(ours).toBeGreaterThanOrEqual(0)
      // Only what is counted can be none, and some against none has no ratio.
      if (unit === 'times') continue
      expect(ratio).toBeGreaterThanOrEqual(0)
      expect(baseline.value).toBeGreaterThan(0)
    }
  })

  it('finds nothing left by a side, and a whole log by a bare child', () => {
    const left = figures.filter(({ what }) => what === 'left per side')
    expect(left.map(({ ours }) => ours)).toEqual(left.map(() => 0))
    for (const { baseline } of left) expect(baseline.value).toBeGreaterThan(5_000)
  })
})

/** The tarball of the seams adapter and the lockfile it is made from. */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { expect, it } from 'vitest'

import { packSeams } from '../../dev/seams/pack.ts'
import { ROOT } from '../../dev/run-tool.ts'

it('packs once and then finds the same tarball', async () => {
  const tarball = await packSeams()
  expect(basename(tarball)).toMatch(/^sidemind-dev-seams-0\.0\.0-h[0-9a-f]{16}\.tgz$/)
  expect((await readFile(tarball)).length).toBeGreaterThan(10_000)
  const words: string[] = []
  expect(await packSeams((text) => words.push(text))).toBe(tarball)
  expect(words).toEqual([])
}, 120_000)

it('asks whatever registry a person has set', async () => {
  expect(await readFile(join(ROOT, 'dev/seams/pnpm-lock.yaml'), 'utf8')).not.toMatch(/https?:/)
})

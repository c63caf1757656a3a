/** The mutation list stays true to the code: a line that moved on takes its mutation along. Running it is `npm run mutate`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import mutations from '../mutations.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')

describe('the mutation list', () => {
  it('breaks at least twenty lines of the contract', () => {
    expect(new Set(mutations.map(({ line }) => line)).size).toBeGreaterThanOrEqual(20)
  })

  it.each(mutations)('$line $why: its line is in $file once', async ({ file, find }) => {
    expect((await readFile(join(ROOT, file), 'utf8')).split(find)).toHaveLength(2)
  })
})

/** The types of `sidemind-for-dsh/service-client` name no package, and are enough to write a program against. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

import { declarationsOf } from '../../dev/build/declarations.ts'

const ROOT = join(import.meta.dirname, '../..')
const WRONG = `
  import { createClient } from 'sidemind-for-dsh/service-client'
  const client = createClient({ url: '', token: '' })
  await client.call('status', {})
  await client.call('stats', {})
  await client.call('startThread', { body: { cwd: 1 } })
  await client.call('status', {}).then(({ model }) => model)`

it('take the example as it is, and refuse an operation, a body and an answer that do not exist', async () => {
  const declarations = declarationsOf(join(ROOT, 'src/service-client.ts'), join(ROOT, 'tsconfig.src.json'))
  expect(declarations).not.toMatch(/\bimport\b|\bfrom ['"]|\bz\./)
  const folder = await mkdtemp(join(tmpdir(), 'sm-declarations-'))
  try {
    const programs = { 'right.mts': await readFile(join(ROOT, 'examples/embed.ts'), 'utf8'), 'wrong.mts': WRONG }
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'types'))
    await writeFile(join(folder, 'client.d.mts'), declarations)
    for (const [name, text] of Object.entries(programs))
      await writeFile(join(folder, name), text.replace('sidemind-for-dsh/service-client', './client.mjs'))
    const made = ts.createProgram(
      Object.keys(programs).map((name) => join(folder, name)),
      {
        strict: true,
        noEmit: true,
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.NodeNext,
        lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
        typeRoots: [join(folder, 'types')],
        types: ['node'],
      },
    )
    const said = ts
      .getPreEmitDiagnostics(made)
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
    expect(said).toEqual([
      expect.stringMatching(/wrong\.mts: .*"stats"/),
      expect.stringMatching(/wrong\.mts: .*'number'/),
      expect.stringMatching(/wrong\.mts: .*'model'/),
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
}, 120_000)

/** The bundles: what the host's loader is handed, how CSS travels, what the build refuses. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { rollup, type RollupOptions } from 'rollup'
import { loadConfigFile } from 'rollup/loadConfigFile'
import * as react from 'react'
import * as reactDom from 'react-dom'
import * as jsxRuntime from 'react/jsx-runtime'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { packPlugin } from '../../dev/pack.ts'

const ROOT = join(import.meta.dirname, '../..')
let folder: string
let client: RollupOptions

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sm-bundle-'))
  const { options } = await loadConfigFile(join(ROOT, 'rollup.config.js'), {})
  client = options.find(({ input }) => input === 'ui/index.ts') ?? {}
})
afterAll(() => rm(folder, { recursive: true }))

/** Builds an entry the way the client half is built. */
async function build(input: string): Promise<string> {
  const bundle = await rollup({ ...client, input })
  const file = join(folder, 'client.js')
  await bundle.write({ ...[client.output].flat()[0], file })
  return readFile(file, 'utf8')
}

/** Runs a client bundle as the page does. */
function load(code: string): { id: string; exports: Record<string, unknown>; asked: string[] } {
  const asked: string[] = []
  const seen: { id: string; factory: (require: (name: string) => unknown) => Record<string, unknown> }[] = []
  runInNewContext(code, {
    window: { __ModuleLoader__: { load: (module: (typeof seen)[number]) => seen.push(module) } },
  })
  const [module] = seen
  if (seen.length !== 1 || module === undefined) throw new Error(`${seen.length} modules were registered`)
  return { id: module.id, exports: module.factory((name) => (asked.push(name), {})), asked }
}

describe('the client bundle', () => {
  it('registers one factory under the package name', async () => {
    const { id, exports } = load(await build(join(import.meta.dirname, 'fixture/entry.ts')))
    expect(id).toBe('sidemind-for-dsh')
    expect(Object.keys(exports).toSorted()).toEqual(['css', 'label'])
  })

  it('carries every sheet as one string, with class names of its own', async () => {
    const { exports } = load(await build(join(import.meta.dirname, 'fixture/entry.ts')))
    expect(exports['label']).toMatch(/^sm-label-\w{5} sm-base-\w{5}$/)
    const [label, base] = String(exports['label']).split(' ')
    expect(String(exports['css']).replaceAll(';}', '}')).toBe(
      `.${base}{padding:1px}.${label}{color:red}:root{--sm-gap:4px}`,
    )
  })

  it('leaves React to the host', async () => {
    const entry = join(folder, 'react.tsx')
    await writeFile(entry, `import { useState } from 'react'\nexport const View = () => <b>{useState(1)[0]}</b>`)
    expect(load(await build(entry)).asked.toSorted()).toEqual(['react', 'react/jsx-runtime'])
  })

  it.each(['@deepseek-ai/dsh-client-ui-conversation', 'no-such-package', './missing.ts'])(
    'is refused when it imports %s',
    async (name) => {
      const entry = join(folder, 'bad.ts')
      await writeFile(entry, `export { a } from '${name}'`)
      await expect(build(entry)).rejects.toThrow(name.replace('./', ''))
    },
  )
})

describe('the packed plugin', () => {
  // Packing takes its time when nobody has done it yet.
  beforeAll(async () => void (await packPlugin(() => undefined)), 120_000)

  it('holds the two bundles and no development package for its users', async () => {
    const tarball = await packPlugin(() => undefined)
    const files = execFileSync('tar', ['tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
    expect(files).toEqual(
      expect.arrayContaining(['package/dist/index.js', 'package/dist/client.js', 'package/cordis.patch.yml']),
    )
    expect(files.filter((file) => /^package\/(src|ui|dev|test|node_modules)\//.test(file))).toEqual([])
    const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('optionalDependencies')
  })

  it('adds at most 80 kB to the first load of a page, compressed', async () => {
    const tarball = await packPlugin(() => undefined)
    const packed = execFileSync('tar', ['xzOf', tarball, 'package/dist/client.js'], { maxBuffer: 64 * 1024 * 1024 })
    expect(gzipSync(packed, { level: 9 }).length).toBeLessThan(80_000)
  })

  it('brings what is loaded later as modules that need the page’s React at most, and the licence of every package in them', async () => {
    const tarball = await packPlugin(() => undefined)
    const read = (file: string): string =>
      execFileSync('tar', ['xzOf', tarball, `package/dist/${file}`], { encoding: 'utf8' })
    // One of them asks the page's document what an entity means.
    vi.stubGlobal('document', { createElement: () => ({}) })
    const exported: Record<string, string[]> = {}
    const page: Record<string, unknown> = { react, 'react-dom': reactDom, 'react/jsx-runtime': jsxRuntime }
    for (const name of ['markdown', 'code', 'math', 'tabs']) {
      const file = join(folder, `${name}.mjs`)
      await writeFile(file, read(`later/${name}.js`))
      const { default: open } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
        default: (require: (module: string) => unknown) => object
      }
      exported[name] = Object.keys(
        open((module) => {
          if (!Object.hasOwn(page, module)) throw new Error(`${name} needs ${module}`)
          return page[module]
        }),
      ).toSorted()
    }
    expect(exported).toEqual({
      markdown: ['copySelection', 'draw', 'formulaOf', 'targetsFor'],
      code: ['highlight'],
      math: ['draw'],
      tabs: ['Content', 'List', 'Root', 'Trigger'],
    })
    vi.unstubAllGlobals()
    const notices = read('LICENSES.txt')
    for (const name of [
      'react-markdown',
      'rehype-sanitize',
      'micromark',
      'highlight.js',
      'temml',
      '@radix-ui/react-tabs',
    ])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'))
    expect(notices.match(/Permission is hereby granted|Redistribution and use/g)?.length).toBeGreaterThan(10)
  })

  it('is packed again only when something changed', async () => {
    const said: string[] = []
    await packPlugin((line) => said.push(line))
    await packPlugin((line) => said.push(line))
    expect(said).toEqual([])
  })
})

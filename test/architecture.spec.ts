/** Executes the import table of ARCHITECTURE.md: which room of the code may name what. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { brokenHabits, brokenImports, emptyRooms, type ImportTable } from './kit/import-table.ts'
import { filesIn, type SourceFile } from './kit/imports.ts'

const ROOMS: ImportTable = {
  'src/core': [],
  'src/wire': [
    'src/core',
    'src/providers/dsh/translate.ts',
    'src/providers/dsh/history.ts',
    'src/providers/dsh/activity.ts',
  ],
  'src/providers/dsh': ['src/core', '@deepseek-ai/*'],
  // Runs in the browser too: nothing of the host, nothing that runs.
  'src/providers/dsh/translate.ts': ['types src/core', 'src/providers/dsh/questions.ts'],
  'src/providers/dsh/questions.ts': ['types src/core'],
  'src/providers/dsh/activity.ts': ['types src/core', 'src/providers/dsh/translate.ts'],
  'src/providers/dsh/history.ts': ['types src/core', 'src/providers/dsh/translate.ts'],
  'src/providers/codex': ['src/core', 'node:child_process', 'node:fs/promises', 'node:module', 'node:path'],
  // Decoding and translating are pure.
  'src/providers/codex/protocol.ts': [],
  'src/providers/codex/translate.ts': ['types src/core', 'src/providers/codex/protocol.ts'],
  'src/service': ['src/core', 'src/wire', 'hono', '@hono/*', 'node:crypto', 'node:net'],
  // What a page or another host bundles: no validator, no server.
  'src/service/client.ts': [
    'src/core/errors.ts',
    'types src/core',
    'types src/service',
    'types @hono/zod-openapi',
    'eventsource-parser',
  ],
  'src/service-client.ts': ['src/service/client.ts', 'src/core/projector.ts', 'src/core/errors.ts', 'types src/core'],
  // The command: its flags, words and folders are pure.
  'src/cli.ts': ['src/cli', 'node:fs/promises'],
  'src/cli': ['node:path', 'node:util'],
  'src/cli/browser.ts': ['node:child_process'],
  'src/cli/start.ts': ['src', 'node:fs/promises', 'node:os', 'node:path'],
  'src/service/page.ts': ['src/service/guard.ts', 'types hono', 'node:fs/promises', 'node:path'],
  'src/codex.ts': ['src', 'types hono', 'node:crypto'],
  'src/commands': ['src/core', 'src/wire'],
  'src/config.ts': ['src/core', 'src/providers/dsh/guard.ts', '@deepseek-ai/schemastery'],
  'src/settings.ts': ['src/config.ts', 'types @deepseek-ai/*'],
  'src/later.ts': ['node:*'],
  'src/index.ts': ['src', 'types @deepseek-ai/*'],

  'ui/data': ['ui/quotation.ts', 'src/wire/index.ts'],
  'ui/data/hooks.ts': ['ui/data', 'react'],
  'ui/dsh': ['ui/data', 'ui/locales.ts', 'ui/quotation.ts', 'src/wire/index.ts', 'types react', 'types @deepseek-ai/*'],
  // Those that connect the surfaces with the host's slots.
  'ui/dsh/mount.ts': ['ui', 'src/wire/index.ts', 'virtual:sidemind-css'],
  // What the page follows of the configuration, and the card for it.
  'ui/dsh/prefs.ts': ['src/wire/index.ts', 'ui/parts', 'types ui/settings'],
  'ui/dsh/ime-guard.ts': ['ui/dsh', 'ui/parts/composer-keys.ts'],
  'ui/dsh/settings-scope.ts': ['ui/dsh', 'types ui/settings'],
  'ui/dsh/settings-slot.tsx': ['ui', 'react'],
  'ui/dsh/slots.tsx': ['ui', 'src/wire/index.ts', 'react'],
  'ui/dsh/picks.tsx': ['ui', 'react'],
  'ui/dsh/later.ts': ['ui/parts/later.ts', 'react', 'react-dom'],
  'ui/parts': [
    'ui/locales.ts',
    'ui/quotation.ts',
    'ui/tokens.css',
    'src/wire/growing.ts',
    'types src/wire/index.ts',
    'react',
    'types mdast',
  ],
  // Loaded on first use, without anything of the surfaces: what they share is handed over.
  'ui/later': [
    'types ui/parts/markdown-nodes.ts',
    'react',
    'react-markdown',
    'rehype-sanitize',
    'mdast-util-gfm-*',
    'micromark-extension-gfm-*',
    'micromark-util-*',
    'types mdast-util-from-markdown',
    'lowlight',
    'highlight.js/*',
    'temml',
    '@radix-ui/react-tabs',
  ],
  'ui/btw': ['ui/data', 'ui/parts', 'ui/locales.ts', 'ui/quotation.ts', 'types src/wire/index.ts', 'react'],
  'ui/side': ['ui/data', 'ui/parts', 'ui/locales.ts', 'ui/quotation.ts', 'types src/wire/index.ts', 'react'],
  // A page of our own in the host's place.
  'ui/web': [
    'ui/data',
    'ui/parts',
    'ui/btw',
    'ui/side',
    'ui/locales.ts',
    'src/wire/index.ts',
    'src/service/client.ts',
    'react',
    'react/*',
    'react-dom',
    'react-dom/*',
  ],
  'ui/web/typed-line.ts': ['types src/wire/index.ts'],
  'ui/web/words.ts': [],
  'ui/settings': ['ui/parts', 'ui/locales.ts', 'react'],
  'ui/settings/words.ts': [],
  'ui/locales.ts': ['ui/settings/words.ts', 'types src/wire/index.ts'],
  'ui/quotation.ts': [],
  'ui/tokens.css': [],
  'ui/env.d.ts': [],
  'ui/index.ts': ['ui'],
}

let files: SourceFile[]
beforeAll(async () => {
  const root = join(import.meta.dirname, '..')
  files = [...(await filesIn(root, 'src')), ...(await filesIn(root, 'ui'))]
})

describe('the code', () => {
  it('imports only what its room may', () => {
    expect(brokenImports(files, ROOMS)).toEqual([])
  })

  it('has no room of the table empty', () => {
    expect(emptyRooms(files, ROOMS)).toEqual([])
  })

  it('has no any, no console, and no folder without a noun', () => {
    expect(brokenHabits(files)).toEqual([])
  })
})

describe('the table', () => {
  it.each([
    ['core names Node', 'src/core/a.ts', `import { join } from 'node:path'`, 'src/core may not import node:path'],
    ['core names a package', 'src/core/a.ts', `import z from 'zod'`, 'src/core may not import zod'],
    [
      'core calls a provider',
      'src/core/a.ts',
      `import { a } from '../providers/dsh/child.ts'`,
      'src/core may not import src/providers/dsh/child.ts',
    ],
    [
      'core names the host in a type',
      'src/core/a.ts',
      `type A = import('@deepseek-ai/dsh-agent').Agent`,
      'src/core may not import @deepseek-ai/dsh-agent',
    ],
    [
      'core loads later',
      'src/core/a.ts',
      `const a = () => import('../wire/token.ts')`,
      'src/core may not import src/wire/token.ts',
    ],
    [
      'wire names a provider',
      'src/wire/a.ts',
      `export * from '../providers/dsh/guard.ts'`,
      'src/wire may not import src/providers/dsh/guard.ts',
    ],
    [
      'a door names a provider',
      'src/commands/a.ts',
      `import type { A } from '../providers/dsh/child.ts'`,
      'src/commands may not import src/providers/dsh/child.ts',
    ],
    [
      'the translation runs core',
      'src/providers/dsh/translate.ts',
      `import { a } from '../../core/errors.ts'`,
      '(only its types)',
    ],
    [
      'the page enters src elsewhere',
      'ui/data/a.ts',
      `import { a } from '../../src/core/errors.ts'`,
      'ui/data may not import src/core/errors.ts',
    ],
    ['the store draws', 'ui/data/a.ts', `import { useState } from 'react'`, 'ui/data may not import react'],
    ['a part runs the contract', 'ui/parts/A.tsx', `import { a } from '../../src/wire/index.ts'`, '(only its types)'],
    [
      'a part names a value between types',
      'ui/parts/A.tsx',
      `import { type A, b } from '../../src/wire/index.ts'`,
      '(only its types)',
    ],
    [
      'a part names the store',
      'ui/parts/A.tsx',
      `import type { A } from '../data/store.ts'`,
      'ui/parts may not import ui/data/store.ts',
    ],
    [
      'a surface names the other',
      'ui/side/A.tsx',
      `import { A } from '../btw/BtwCard.tsx'`,
      'ui/side may not import ui/btw/BtwCard.tsx',
    ],
    [
      'a surface names the host',
      'ui/btw/A.tsx',
      `import { a } from '../dsh/place.ts'`,
      'ui/btw may not import ui/dsh/place.ts',
    ],
    ['a new room has no row', 'src/rooms/server.ts', '', 'is in no room of the table'],
    ['a neighbour looks alike', 'src/core2/a.ts', '', 'is in no room of the table'],
  ])('is broken when %s', (_what, path, text, expected) => {
    const [broken, ...others] = brokenImports([{ path, text }], ROOMS)
    expect(broken).toMatch(new RegExp(`^${path}:`))
    expect(broken).toContain(expected)
    expect(others).toEqual([])
  })

  it.each([
    ['ui/parts/A.tsx', `import { type A, type B } from '../../src/wire/index.ts'`],
    ['ui/parts/A.tsx', `import css from './A.module.css'`],
    ['ui/data/hooks.ts', `import { useRef } from 'react'`],
    ['src/core/a.ts', `// import { join } from 'node:path'\nconst text = "import('zod')"`],
    ['src/providers/dsh/child.ts', `import type { A } from '@deepseek-ai/dsh-agent'`],
  ])('lets %s write %s', (path, text) => {
    expect(brokenImports([{ path, text }], ROOMS)).toEqual([])
  })

  it.each([
    ['src/core/utils/a.ts', '', 'not utils/'],
    ['ui/helpers/a.ts', '', 'not helpers/'],
    ['ui/common/A.module.css', '', 'not common/'],
    ['src/core/a.ts', 'let a: any', 'src/core/a.ts:1: any'],
    ['src/core/a.ts', '\nconst a = b as unknown as Record<string, any>', 'src/core/a.ts:2: any'],
    ['ui/parts/A.tsx', 'globalThis.console.log(1)', 'ui/parts/A.tsx:1: console'],
  ])('has habits: %s with %j', (path, text, expected) => {
    expect(brokenHabits([{ path, text }])).toEqual([expect.stringContaining(expected)])
  })
})

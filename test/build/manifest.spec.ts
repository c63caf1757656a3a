/** plugin.json says what the plugin is; package.json, cordis.patch.yml and the code must say the same. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { registerCommands, type CommandDoor, type CommandHost } from '../../src/commands/register.ts'
import type { Source } from '../../src/core/contract.ts'
import { Config, inject, name } from '../../src/index.ts'
import { filesIn, importsOf, isCode } from '../kit/imports.ts'
import { disagreements, TAKEN, type CodeFacts, type Manifests } from '../kit/manifest.ts'
import { inRange } from '../kit/version-range.ts'

const ROOT = join(import.meta.dirname, '../..')
let manifests: Manifests

beforeAll(async () => {
  const read = (file: string): Promise<string> => readFile(join(ROOT, file), 'utf8')
  manifests = {
    plugin: JSON.parse(await read('plugin.json')),
    pack: JSON.parse(await read('package.json')),
    patch: await read('cordis.patch.yml'),
    code: await codeFacts(),
  }
})

async function codeFacts(): Promise<CodeFacts> {
  const [src, ui] = await Promise.all([filesIn(ROOT, 'src'), filesIn(ROOT, 'ui')])
  const imported = src.filter(({ path }) => isCode(path)).flatMap((file) => importsOf(file).map((found) => found.name))
  const client = ui.map(({ text }) => text).join('\n')
  return {
    name,
    inject,
    defaults: Object.fromEntries(Object.entries(Config({} as Config))),
    commands: registered(),
    hostPackages: [...new Set(imported.filter((found) => found.startsWith('@deepseek-ai/')))],
    slots: [...new Set([...client.matchAll(/slots\.inject\('([^']+)'/g)].map(([, slot]) => slot ?? ''))],
    tabKind: /TAB_KIND = '([^']+)'/.exec(client)?.[1] ?? '',
  }
}

/** What the host half hands to the host's command service. */
function registered(): CodeFacts['commands'] {
  const found: CodeFacts['commands'] = []
  const host: CommandHost<object> = {
    register({ name: command, input, description, recordInput }) {
      found.push({ name: command, hint: input.hint, description, recordInput })
      return () => undefined
    },
  }
  const door = { controller: { subscribe: () => () => undefined }, newId: () => 'boot' } as unknown as CommandDoor<
    object,
    Source
  >
  registerCommands(host, door)
  return found
}

describe('the manifests', () => {
  it('agree with each other and with the code', () => {
    expect(disagreements(manifests)).toEqual([])
  })

  it.each<[string, (copy: Manifests) => void, string]>([
    ['another id', ({ plugin }) => (plugin.id = 'sidemind'), 'id and package name'],
    ['another loader row', (copy) => (copy.patch = copy.patch.replace('- id: s', '- id: x')), 'id and loader row'],
    [
      'another plugin in the row',
      (copy) => (copy.patch = copy.patch.replace('name: s', 'name: x')),
      'id and loader row',
    ],
    ['a name in the code', ({ code }) => (code.name = 'side'), 'id and name of the host half'],
    ['an old version', ({ plugin }) => (plugin.version = '0.0.9'), 'version'],
    ['another licence', ({ pack }) => (pack.license = 'ISC'), 'license'],
    ['another entry', ({ pack }) => (pack.exports['.'] = './dist/main.js'), 'entry of the host half'],
    ['another main', ({ pack }) => (pack.main = './dist/main.js'), 'entry of the host half as main'],
    ['no client entry', ({ pack }) => delete pack.exports['./client'], 'entry of the client half'],
    ['another patch', ({ pack }) => (pack.dsh.bundle.patch = './patch.yml'), 'patch'],
    ['another platform', ({ pack }) => (pack.dsh.client.platform = 'tui'), 'platform of the client half'],
    ['a hidden manifest', ({ pack }) => delete pack.exports['./plugin.json'], 'export of plugin.json'],
    ['an unpacked manifest', ({ pack }) => (pack.files = ['dist', 'cordis.patch.yml']), 'files'],
    ['a peer too few', ({ pack }) => delete pack.peerDependencies['@deepseek-ai/dsh-tools'], 'host packages as peers'],
    ['a peer too many', ({ pack }) => (pack.peerDependencies['@deepseek-ai/x'] = '*'), 'host packages as peers'],
    ['a peer that npm installs', ({ pack }) => delete pack.peerDependenciesMeta['@deepseek-ai/dsh-agent'], 'peer @'],
    ['a narrow peer', ({ pack }) => (pack.peerDependencies['@deepseek-ai/dsh-agent'] = '^0.1.0'), 'range of @'],
    ['a range without prereleases', ({ plugin }) => (plugin.host.range = '>=0.1.0 <1.0.0'), 'host range'],
    ['a range without 0.2', ({ plugin }) => (plugin.host.range = '>=0.1.0-rc.8 <0.2.0-0'), 'host range'],
    ['a range without an end', ({ plugin }) => (plugin.host.range = '>=0.1.0-rc.8'), 'host range'],
    ['a forgotten command', ({ plugin }) => plugin.commands.pop(), 'commands'],
    ['another hint', ({ code }) => ((code.commands[0] ?? { hint: '' }).hint = 'x'), 'commands'],
    ['recorded input', ({ code }) => ((code.commands[0] ?? { recordInput: false }).recordInput = true), 'commands'],
    ['a service too few', ({ plugin }) => plugin.permissions.services.pop(), 'services'],
    ['an unnamed slot', ({ code }) => (code.slots = [...code.slots, 'conversation.header']), 'slots'],
    ['a slot that nobody fills', ({ plugin }) => plugin.surfaces[0]?.slots.push('settings.card'), 'slots'],
    ['another kind of tab', ({ code }) => (code.tabKind = 'side'), 'kind of the tab'],
    ['something stored', ({ plugin }) => (plugin.permissions.stores = 'a little'), 'what is stored'],
    ['another default', ({ code }) => (code.defaults['undoSeconds'] = 0), 'configuration'],
    ['a field too few', ({ plugin }) => delete plugin.configuration['liveTurn'], 'configuration'],
    [
      'a field without words',
      ({ plugin }) => ((plugin.configuration['liveTurn'] ?? { means: '' }).means = ''),
      'configuration',
    ],
  ])('are caught with %s', (_what, spoil, expected) => {
    const copy = structuredClone(manifests)
    spoil(copy)
    expect(disagreements(copy).join('\n')).toMatch(new RegExp(`^${expected}`, 'm'))
  })

  it.each(TAKEN)('may not be called %s', (taken) => {
    const copy = structuredClone(manifests)
    copy.plugin.id = taken
    expect(disagreements(copy)).toContain(`id: ${taken} is another plugin's`)
  })
})

describe('inRange', () => {
  it.each([
    ['0.1.0-rc.8', true],
    ['0.1.0-rc.10', true],
    ['0.1.0-rc.7', false],
    ['0.1.0-alpha.9', false],
    ['0.1.0-rc', false],
    ['0.1.0', true],
    ['0.2.0-rc.2', true],
    ['0.2.0-alpha', true],
    ['0.2.3+build.5', true],
    ['0.10.0', true],
    ['1.0.0', false],
    ['0.0.9', false],
  ])('decides on %s, prereleases counted in', (version, expected) => {
    expect(inRange(version, '>=0.1.0-rc.8 <1.0.0')).toBe(expected)
  })

  it('refuses a range of a shape it does not know', () => {
    expect(() => inRange('0.1.0', '^0.1.0')).toThrow('not a comparator')
  })
})

/** The four places that say what the plugin is, and everything in which they disagree. */
import { inRange } from './version-range.ts'

/** plugin.json, as far as the other places repeat it. */
export interface PluginManifest {
  id: string
  version: string
  license: string
  host: { range: string }
  entries: { host: string; client: string; patch: string }
  commands: { name: string; hint: string; description: string; recordInput: boolean }[]
  surfaces: { kind: string; slots: string[]; tabKind?: string }[]
  permissions: { services: string[]; stores: string }
  configuration: Record<string, { default: unknown; means: string }>
}

/** package.json, as far as a host reads it. */
export interface PackageManifest {
  name: string
  version: string
  license: string
  main: string
  exports: Record<string, string | { types: string; default: string }>
  files: string[]
  dsh: { bundle: { patch: string }; client: { platform: string } }
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional: boolean }>
}

/** What the code itself says. */
export interface CodeFacts {
  name: string
  /** The host services without which the host half does not start. */
  inject: readonly string[]
  /** The configuration that the schema makes of nothing. */
  defaults: Record<string, unknown>
  commands: PluginManifest['commands']
  /** Packages of the host that src imports, by type or at run time. */
  hostPackages: readonly string[]
  /** Slots that ui fills, and the kind of its tab. */
  slots: readonly string[]
  tabKind: string
}

export interface Manifests {
  plugin: PluginManifest
  pack: PackageManifest
  /** cordis.patch.yml as text. */
  patch: string
  code: CodeFacts
}

/** Ids that other plugins of DSH use, side conversations above all: a loader row id can have one owner. */
export const TAKEN = [
  'dsh-sidemind',
  'dsh-side-chat',
  'dsh-side-chat-plus',
  'dsh-sidechat',
  'dsh-sidechat-plugin',
  'omdsh-sidechat',
  'dsh-sidechain',
  'dsh-sidecar',
  'dsh-sidecar-conversation',
  'dsh-sidenote',
  'dsh-sideband',
  'dsh-side-branch',
  'dsh-side-session',
  'dsh-sidefork-a-teammate',
]

/** Hosts that must be let in: what can be installed today, what people run, and prereleases of both. */
const HOSTS = ['0.1.0-rc.8', '0.1.0', '0.1.1-rc.2', '0.1.2-alpha.2', '0.1.5-alpha.1', '0.2.0-rc.2', '0.2.0', '0.2.14']

/** Packages of the host with versions of their own. */
const OWN_VERSIONS: Record<string, string> = {
  '@deepseek-ai/cordis': '>=4.0.0',
  '@deepseek-ai/schemastery': '>=3.18.0',
}

/** One line for each disagreement; none when all is well. */
export function disagreements({ plugin, pack, patch, code }: Manifests): string[] {
  const found: string[] = []
  const same = (what: string, left: unknown, right: unknown): void => {
    const [a, b] = [JSON.stringify(left), JSON.stringify(right)]
    if (a !== b) found.push(`${what}: ${a} and ${b}`)
  }

  same('id and package name', plugin.id, pack.name)
  same('id and name of the host half', plugin.id, code.name)
  same('id and loader row', patch, `- insert:\n    - id: ${plugin.id}\n      name: ${plugin.id}\n`)
  if (TAKEN.includes(plugin.id)) found.push(`id: ${plugin.id} is another plugin's`)
  same('version', plugin.version, pack.version)
  same('license', plugin.license, pack.license)

  same('entry of the host half', plugin.entries.host, pack.exports['.'])
  same('entry of the host half as main', plugin.entries.host, pack.main)
  same('entry of the client half', plugin.entries.client, pack.exports['./client'])
  same('patch', plugin.entries.patch, pack.dsh.bundle.patch)
  same('platform of the client half', 'web', pack.dsh.client.platform)
  for (const file of ['plugin.json', 'package.json']) same(`export of ${file}`, pack.exports[`./${file}`], `./${file}`)
  for (const path of [...Object.values(plugin.entries), './plugin.json']) {
    const [folder = ''] = path.slice(2).split('/')
    if (!pack.files.includes(folder)) found.push(`files: ${path} is not packed`)
  }

  same('host packages as peers', Object.keys(pack.peerDependencies).toSorted(), code.hostPackages.toSorted())
  for (const [name, range] of Object.entries(pack.peerDependencies)) {
    same(`range of ${name}`, range, OWN_VERSIONS[name] ?? plugin.host.range)
    if (pack.peerDependenciesMeta[name]?.optional !== true) found.push(`peer ${name}: npm would install it`)
  }
  for (const host of HOSTS) if (!inRange(host, plugin.host.range)) found.push(`host range: keeps ${host} out`)
  for (const host of ['0.1.0-rc.7', '0.0.9', '1.0.0']) {
    if (inRange(host, plugin.host.range)) found.push(`host range: lets ${host} in`)
  }

  same('commands', plugin.commands, code.commands)
  same('services', plugin.permissions.services.toSorted(), code.inject.toSorted())
  same('slots', plugin.surfaces.flatMap(({ slots }) => slots).toSorted(), code.slots.toSorted())
  same('kind of the tab', plugin.surfaces.find(({ kind }) => kind === 'tab')?.tabKind, code.tabKind)
  same('what is stored', plugin.permissions.stores, 'nothing')
  const defaults = Object.entries(plugin.configuration).map(([name, field]) => [name, field.default])
  same('configuration', Object.fromEntries(defaults), code.defaults)
  for (const [name, { means }] of Object.entries(plugin.configuration)) {
    if (!means) found.push(`configuration: nobody says what ${name} means`)
  }
  return found
}

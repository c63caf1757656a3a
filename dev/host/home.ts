/** A DSH_HOME with plugins mounted the way a person mounts them: `dsh plugin --profile web add <tarball>`.
 *  Owns the templates under `.cache/homes`: mounting takes seconds, so each set of tarballs is mounted once and then copied. */
import { createHash, randomBytes } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ROOT, runTool } from '../run-tool.ts'
import { Sentence } from '../sentence.ts'
import type { InstalledHost } from './install.ts'

const TEMPLATES = join(ROOT, '.cache/homes')
const KEPT_TEMPLATES = 24
/** What is mounted in a home, so that a kept one is brought up to date only when something changed. */
const MOUNTED = 'sidemind-mounted'

/** The host's entry script. */
export function hostBin(host: InstalledHost): string {
  return join(host.dir, 'node_modules/@deepseek-ai/dsh/lib/bin.js')
}

/**
 * Brings `home` to the state "exactly these plugins are mounted". An empty or absent home is copied from a template.
 * @param plugins paths of packed tarballs.
 * @throws {Sentence} with what pnpm said when a tarball cannot be added.
 */
export async function prepareHome(host: InstalledHost, home: string, plugins: string[]): Promise<void> {
  const key = await keyOf(host, plugins)
  await mkdir(home, { recursive: true })
  if ((await readFile(join(home, MOUNTED), 'utf8').catch(() => '')) === key) return
  if ((await readdir(home)).length > 0) {
    await mount(host, home, plugins)
    await writeFile(join(home, MOUNTED), key)
    return
  }
  const template = join(TEMPLATES, key)
  if (!(await exists(template))) await makeTemplate(host, template, key, plugins)
  await utimes(template, new Date(), new Date())
  await cp(template, home, { recursive: true, verbatimSymlinks: true })
}

async function makeTemplate(host: InstalledHost, template: string, key: string, plugins: string[]): Promise<void> {
  const draft = `${template}.${process.pid}.${randomBytes(3).toString('hex')}.draft`
  await mkdir(draft, { recursive: true })
  try {
    await mount(host, draft, plugins)
    await writeFile(join(draft, MOUNTED), key)
    // Two processes may prepare the same one; the first to arrive is kept.
    await rename(draft, template).catch(() => undefined)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  await dropOldTemplates()
}

async function mount(host: InstalledHost, home: string, plugins: string[]): Promise<void> {
  const old = await mountedFromHere(home)
  if (old.length > 0) await dshPlugin(host, home, ['remove', ...old])
  if (plugins.length > 0) await dshPlugin(host, home, ['add', '--ignore-scripts', '--prefer-offline', ...plugins])
}

async function dshPlugin(host: InstalledHost, home: string, args: string[]): Promise<void> {
  const { code, output } = await runTool(process.execPath, [hostBin(host), 'plugin', '--profile', 'web', ...args], {
    cwd: home,
    env: { DSH_HOME: home, DSH_TELEMETRY_MODE: 'DISABLED', npm_config_update_notifier: 'false' },
  })
  if (code !== 0) throw new Sentence(`The plugin could not be mounted in the host. It said:\n${output.trim()}`)
}

/** Names of the packages in a kept home that an earlier start mounted; what the person added is not touched. */
async function mountedFromHere(home: string): Promise<string[]> {
  const text = await readFile(join(home, 'profiles/web/package.json'), 'utf8').catch(() => '{}')
  const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(text)
  return Object.keys(dependencies).filter((name) => dependencies[name]?.startsWith(`file:${ROOT}`))
}

async function keyOf(host: InstalledHost, plugins: string[]): Promise<string> {
  const hash = createHash('sha256').update(host.lockHash).update(host.dir)
  for (const plugin of plugins) hash.update(await readFile(plugin))
  return hash.digest('hex').slice(0, 24)
}

async function dropOldTemplates(): Promise<void> {
  const names = (await readdir(TEMPLATES)).filter((name) => !name.endsWith('.draft'))
  const aged = await Promise.all(
    names.map(async (name) => ({ name, used: (await stat(join(TEMPLATES, name))).mtimeMs })),
  )
  aged.sort((a, b) => b.used - a.used)
  for (const { name } of aged.slice(KEPT_TEMPLATES)) await rm(join(TEMPLATES, name), { recursive: true, force: true })
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

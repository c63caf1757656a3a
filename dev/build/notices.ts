/** Collects the licence texts of the packages whose code is in a bundle, into `dist/LICENSES.txt`. */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'rollup'

const DIST = join(import.meta.dirname, '../../dist')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** @returns a rollup plugin for each bundle; the file names the packages of all of them.
 *  @throws when a package carries neither a licence text nor the name of a licence. */
export function createNotices(): () => Plugin {
  const known = new Map<string, string>()
  return () => ({
    name: 'notices',
    async writeBundle(options, bundle) {
      const used = Object.values(bundle).flatMap((chunk) =>
        chunk.type === 'chunk' ? Object.entries(chunk.modules) : [],
      )
      for (const [id, { renderedLength }] of used) {
        const folder = renderedLength > 0 ? packageOf(id) : null
        if (folder !== null && !known.has(folder)) known.set(folder, await notice(folder))
      }
      if (options.file === undefined || !resolve(options.file).startsWith(DIST)) return
      await mkdir(DIST, { recursive: true })
      const texts = [...known.values()].toSorted()
      await writeFile(join(DIST, 'LICENSES.txt'), `${HEAD}\n${texts.join(RULE)}`)
    },
  })
}

const HEAD = 'Packages whose code is part of this plugin, and their licences.\n'
const RULE = `\n${'-'.repeat(72)}\n\n`

function packageOf(id: string): string | null {
  const file = id.replace(/^\0+/, '').replace(/[?].*$/, '')
  if (!file.includes('/node_modules/')) return null
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json')) || !/node_modules\/(?:@[^/]+\/)?[^/]+$/.test(folder))
    folder = dirname(folder)
  return folder
}

async function notice(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name))
  if (file === undefined && manifest.license === undefined) throw new Error(`${manifest.name} names no licence`)
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8')
  return `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})\n\n${text.trim()}\n`
}

/** CSS of a bundle. Owns class names (`sm-<name>-<hash of the file>`) and where the sheets go: into the one string that
 *  `virtual:sidemind-css` exports, whose place in the page is ui/index.ts's part, or into a file beside the bundle.
 *  In tests vite handles CSS modules by itself and the virtual module is test/kit/empty-css.ts. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { transform } from 'lightningcss'
import type { Plugin } from 'rollup'

const ROOT = join(import.meta.dirname, '../..')
const VIRTUAL = 'virtual:sidemind-css'
const PLACEHOLDER = '__SIDEMIND_CSS__'

/** @param file the name of the sheet beside the bundle; without it nothing is written.
 *  @returns a rollup plugin for `.css`, `.module.css` and `virtual:sidemind-css`. */
export function css(file?: string): Plugin {
  const sheets = new Map<string, string>()
  return {
    name: 'css',
    buildStart() {
      sheets.clear()
    },
    resolveId(source) {
      return source === VIRTUAL ? `\0${VIRTUAL}` : null
    },
    async load(id) {
      if (id === `\0${VIRTUAL}`) return `export default ${JSON.stringify(PLACEHOLDER)}`
      if (!id.endsWith('.css')) return null
      const sheet = await compile(id)
      sheets.set(id, sheet.css)
      return {
        code: `export default ${JSON.stringify(sheet.names)}`,
        moduleSideEffects: 'no-treeshake',
      }
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        const text = chunk.moduleIds.map((id) => sheets.get(id) ?? '').join('')
        // After minification, so that nothing rewrites the sheet; the quotes may be of any kind by then.
        chunk.code = chunk.code.replace(new RegExp(`(["'\`])${PLACEHOLDER}\\1`, 'g'), () => JSON.stringify(text))
        if (file !== undefined) this.emitFile({ type: 'asset', fileName: file, source: text })
      }
    },
  }
}

async function compile(file: string): Promise<{ css: string; names: Record<string, string> }> {
  // The hash is of the path inside the repository, the same on every machine.
  const hash = createHash('sha256').update(relative(ROOT, file).replaceAll('\\', '/')).digest('hex').slice(0, 5)
  const result = transform({
    filename: file,
    code: await readFile(file),
    minify: true,
    cssModules: file.endsWith('.module.css') ? { pattern: `sm-[local]-${hash}`, dashedIdents: false } : false,
  })
  const names: Record<string, string> = {}
  for (const [local, entry] of Object.entries(result.exports ?? {})) {
    names[local] = [entry.name, ...entry.composes.map((part) => part.name)].join(' ')
  }
  return { css: result.code.toString(), names }
}

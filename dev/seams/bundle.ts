/** Bundles the adapter's client half into the one file that the host's page loads. Owns how a published client bundle
 *  becomes an import, and where its style sheets go. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import { build as bundle, type Plugin } from 'esbuild'

const SEAMS = import.meta.dirname
const LOADER = 'window.__ModuleLoader__.load('

/** Modules of the page itself. */
const suppliedByPage = ['react', 'react-dom', 'react/jsx-runtime', '@deepseek-ai/dsh-client-ui-primitives']

/** @returns the text of `client.js`. */
export async function bundleClient(packageName: string): Promise<string> {
  const result = await bundle({
    entryPoints: [join(SEAMS, 'client.ts')],
    bundle: true,
    write: false,
    outdir: SEAMS,
    format: 'cjs',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    tsconfigRaw: {},
    external: suppliedByPage,
    loader: { '.module.css': 'local-css' },
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.env': '{"MODE":"production"}' },
    plugins: [publishedBundles],
    logLevel: 'silent',
  })
  const text = (suffix: string): string => result.outputFiles.find((file) => file.path.endsWith(suffix))?.text ?? ''
  return `${LOADER}{ id: ${JSON.stringify(packageName)}, factory: (require) => {
var module = { exports: {} }; var exports = module.exports;
${styles(text('.css'))}${text('.js')}return module.exports; } });
`
}

function styles(css: string): string {
  return `document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(css)} }));\n`
}

/** `published:<package>/client` imports the registration that the bundle would hand to the page's module loader. */
const publishedBundles: Plugin = {
  name: 'published-bundles',
  setup(build) {
    const { resolve } = createRequire(join(SEAMS, 'package.json'))
    build.onResolve({ filter: /^published:/ }, ({ path }) => ({
      path: resolve(path.slice('published:'.length)),
      namespace: 'published',
    }))
    build.onLoad({ filter: /./, namespace: 'published' }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (!source.startsWith(LOADER)) return { errors: [{ text: `${path} is not a client bundle of the known form` }] }
      return { contents: `export default (${source.slice(LOADER.length)}`, loader: 'js' }
    })
  },
}

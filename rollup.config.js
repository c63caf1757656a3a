/** The bundles: the plugin's two halves and what the client half loads later; the command and its demo; the client of the service and
 *  its page. Owns what is bundled and what the host supplies; CSS, NODE_ENV and declarations are plugins in dev/build. `dev/pack.ts` runs this same list. */
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import esbuild from 'rollup-plugin-esbuild'

import { css } from './dev/build/css.ts'
import { declarations } from './dev/build/declarations.ts'
import { createNotices } from './dev/build/notices.ts'
import { production } from './dev/build/production.ts'

const id = 'sidemind-for-dsh'

/** Modules every host puts into the page's module table. React is the host's, so that hooks share one copy. */
const suppliedByPage = ['react', 'react/jsx-runtime', 'react-dom', '@deepseek-ai/dsh-client-ui-primitives']

/** The host runs a client module as a factory: CommonJS in a closure, registered under the package's name. */
const banner = `window.__ModuleLoader__.load({ id: ${JSON.stringify(id)}, factory: (require) => {
var module = { exports: {} }; var exports = module.exports;`
const footer = 'return module.exports; } });'

/** An import that is neither bundled nor supplied by the host would break the page when it loads: rollup only warns.
 *  @type {import('rollup').LogHandlerWithDefault} */
function onLog(level, log, handle) {
  if (log.code === 'UNRESOLVED_IMPORT') throw new Error(`${log.message}: neither bundled nor supplied by the host`)
  // Habits of packages, of no consequence.
  const theirs = log.code === 'INVALID_ANNOTATION' || log.code === 'MODULE_LEVEL_DIRECTIVE'
  const circle = log.code === 'CIRCULAR_DEPENDENCY' && log.ids?.every((file) => file.includes('node_modules'))
  if (!theirs && !circle) handle(level, log)
}

/** The terms of what is bundled, which ask to be told wherever it goes. */
const notices = createNotices()

/** Makes a module of CommonJS code: its default export is given `require`. After the minifier, which would take the
 *  export away.
 *  @returns {import('rollup').Plugin} */
const opened = () => ({
  name: 'opened',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk')
        chunk.code = `export default (require) => {\nvar module = { exports: {} }, exports = module.exports;\n${chunk.code}\nreturn module.exports;\n};\n`
  },
})

/** A file that the client half loads on first use: a module whose default export is given the page's modules and gives
 *  its own, so that it draws with the page's React.
 *  @returns {import('rollup').RollupOptions} */
const later = (input) => ({
  input,
  onLog,
  external: ['react', 'react/jsx-runtime', 'react-dom'],
  output: {
    file: `dist/later/${input.replace(/^.*\/|\.tsx?$/g, '')}.js`,
    format: 'cjs',
    exports: 'named',
    interop: 'compat',
    inlineDynamicImports: true,
  },
  plugins: [
    production(),
    nodeResolve({ browser: true, extensions: ['.ts', '.tsx', '.js', '.json'] }),
    json(),
    commonjs(),
    esbuild({ target: 'es2022', tsconfig: false, jsx: 'automatic', minify: true, legalComments: 'none' }),
    notices(),
    opened(),
  ],
})

/** A file that runs by itself and brings everything along but Node.
 *  @returns {import('rollup').RollupOptions} */
const alone = (input, file, { target = 'node20', first = '', more = [] } = {}) => ({
  input,
  onLog,
  external: [/^node:/],
  output: { file, format: 'es', inlineDynamicImports: true, banner: first },
  plugins: [
    nodeResolve({ preferBuiltins: true, extensions: ['.ts', '.js', '.json'] }),
    json(),
    commonjs(),
    esbuild({ target, tsconfig: false, minify: true, legalComments: 'none' }),
    notices(),
    ...more,
  ],
})

/** @type {import('rollup').RollupOptions[]} */
export default [
  {
    input: 'src/index.ts',
    onLog,
    external: [/^node:/, /^@deepseek-ai\//],
    output: { file: 'dist/index.js', format: 'es', inlineDynamicImports: true },
    plugins: [
      nodeResolve({ preferBuiltins: true, extensions: ['.ts', '.js', '.json'] }),
      json(),
      commonjs(),
      esbuild({ target: 'node20', tsconfig: false }),
      notices(),
    ],
  },
  {
    input: 'ui/index.ts',
    onLog,
    // How some packages are published: every function is named again at run time, which would keep all of them.
    treeshake: { manualPureFunctions: ['__name'] },
    external: suppliedByPage,
    output: {
      file: 'dist/client.js',
      format: 'cjs',
      exports: 'named',
      interop: 'compat',
      inlineDynamicImports: true,
      banner,
      footer,
    },
    plugins: [
      production(),
      css(),
      nodeResolve({ browser: true, extensions: ['.ts', '.tsx', '.js', '.json'] }),
      json(),
      commonjs(),
      esbuild({ target: 'es2022', tsconfig: false, jsx: 'automatic', minify: true, legalComments: 'none' }),
      notices(),
    ],
  },
  ...['ui/later/markdown.tsx', 'ui/later/code.ts', 'ui/later/math.ts', 'ui/later/tabs.ts'].map(later),
  alone('src/cli.ts', 'dist/cli.js', { first: '#!/usr/bin/env node' }),
  alone('dev/codex/demo.ts', 'dist/demo.js'),
  alone('src/service-client.ts', 'dist/service-client.js', {
    target: 'es2022',
    more: [declarations('tsconfig.src.json', 'service-client.d.ts')],
  }),
  {
    // The page that the service serves itself brings its own React.
    input: 'ui/web/main.tsx',
    onLog,
    output: { file: 'dist/web/page.js', format: 'es', inlineDynamicImports: true },
    plugins: [
      production(),
      css('page.css'),
      nodeResolve({ browser: true, extensions: ['.ts', '.tsx', '.js', '.json'] }),
      json(),
      commonjs(),
      esbuild({ target: 'es2022', tsconfig: false, jsx: 'automatic', minify: true, legalComments: 'none' }),
      notices(),
    ],
  },
]

/** Preloaded by the npm scripts. Plain JavaScript without imports of packages, so that a Node which cannot read the rest,
 *  or a folder without its packages, still says what to do. */
import { existsSync } from 'node:fs'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19) || major === 23) {
  end(`Node ${process.versions.node} is too old here: install Node 24 (22.19 will do) and run \`npm ci\` again.`)
}
if (!existsSync(new URL('../node_modules/rollup', import.meta.url)))
  end('The packages are missing: run `npm ci` first.')

function end(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

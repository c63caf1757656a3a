/** Runs a script of this repository with a Node that can: the one that runs this, else the one that npm brought along.
 *  Plain JavaScript for an old Node. It exists because npm 10 drops the `node` command when several packages offer it. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const [script, ...args] = process.argv.slice(2)
const brought = resolve(
  modules,
  `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`,
  process.platform === 'win32' ? 'bin/node.exe' : 'bin/node',
)

if (!existsSync(resolve(modules, 'rollup'))) {
  end('The packages are missing: run `npm ci` first.')
} else if (isRecent(process.versions.node)) {
  process.argv = [process.execPath, resolve(script), ...args]
  await import(pathToFileURL(resolve(script)).href)
} else if (existsSync(brought)) {
  handOver()
} else {
  end(`Node ${process.versions.node} is too old here: install Node 24 (22.19 will do) and run \`npm ci\` again.`)
}

/** Whether it runs TypeScript as it is, and the host. */
function isRecent(version) {
  const [major, minor] = version.split('.').map(Number)
  return major >= 24 || (major === 22 && minor >= 19)
}

function handOver() {
  const child = spawn(brought, [script, ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(brought)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}` },
  })
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name))
  // npm runs us through a shell that a signal to npm ends without passing it on.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  child.on('error', (error) => end(`${brought} does not start: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

function end(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/** The command line of the command: flags as a value, folders, languages, and a sentence for whatever is wrong. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { codexHomeOf, stateOf } from '../../src/cli/folders.ts'
import { readFlags } from '../../src/cli/flags.ts'
import { wordsOf, type Words } from '../../src/cli/words.ts'

const en = wordsOf({})
const zh = wordsOf({ LANG: 'zh_CN.UTF-8' })

describe('flags', () => {
  it('are these, and nothing is assumed that was not said', () => {
    expect(readFlags(['codex'], en)).toEqual({ port: 0, open: true, json: false, demo: false })
    const all = '--codex a --codex-home=b --cwd c --port 4000 --state d --no-open --json'
    expect(readFlags(['codex', ...all.split(' ')], en)).toEqual({
      codex: 'a',
      codexHome: 'b',
      cwd: 'c',
      port: 4000,
      state: 'd',
      open: false,
      json: true,
      demo: false,
    })
    expect(readFlags(['--help'], en)).toBe('help')
    expect(readFlags(['codex', '-h', '--port', 'x'], en)).toBe('help')
  })

  it.each([
    [[], 'Say what to start', '请说明要启动什么'],
    [['claude'], 'no command "claude"', '没有“claude”这个命令'],
    [['codex', 'now'], 'do with "now"', '不知道“now”'],
    [['codex', '--prot', '1'], 'no flag --prot', '没有 --prot'],
    [['codex', '-p'], 'no flag -p', '没有 -p'],
    [['codex', '--port'], '--port needs a value', '--port 后面要有值'],
    [['codex', '--port', '--json'], '--port needs a value', '--port 后面要有值'],
    [['codex', '--json=yes'], '--json takes no value', '--json 不带值'],
    [['codex', '--port', '0'], 'not "0"', '而不是“0”'],
    [['codex', '--port', '1e3'], 'not "1e3"', '而不是“1e3”'],
    [['codex', '--port', '65536'], 'not "65536"', '而不是“65536”'],
    [['codex', '--port', ''], 'not ""', '而不是“”'],
    [['codex', '--demo', '--codex-home', 'x'], 'CODEX_HOME of its own', '演示自带'],
  ])('of %j are refused in words, with the usage', (args, english, chinese) => {
    expect(() => readFlags(args, en)).toThrow(english)
    expect(() => readFlags(args, en)).toThrow('Usage: npx sidemind-for-dsh codex')
    expect(() => readFlags(args, zh)).toThrow(chinese)
    expect(() => readFlags(args, zh)).toThrow('用法')
  })
})

describe('words', () => {
  it.each([
    [{ LANG: 'zh_TW' }, true],
    [{ LC_ALL: 'zh_CN.UTF-8', LANG: 'en_US.UTF-8' }, true],
    [{ LC_ALL: '', LC_MESSAGES: 'zh-Hans' }, true],
    [{ LC_ALL: 'C', LANG: 'zh_CN.UTF-8' }, false],
    [{ LANG: 'en_US.UTF-8' }, false],
    [{ LANG: 'zhx' }, false],
    [{}, false],
  ])('of %j are Chinese: %s', (env, chinese) => {
    expect(wordsOf(env) === zh).toBe(chinese)
  })

  it('name every flag in both languages, without an exclamation mark', () => {
    const flags = (words: Words) => [...words.usage.matchAll(/--[a-z-]+/g)].map(([flag]) => flag)
    expect(new Set(flags(zh))).toEqual(new Set(flags(en)))
    for (const words of [en, zh]) expect(JSON.stringify(words)).not.toMatch(/[!！]/)
  })
})

describe('folders', () => {
  const linux = { platform: 'linux', env: {}, home: '/home/a' }

  it('of Codex are the named one, CODEX_HOME, or ~/.codex', () => {
    const named = { ...linux, env: { CODEX_HOME: '/c' } }
    expect(codexHomeOf('/d', named, en)).toBe('/d')
    expect(codexHomeOf(undefined, named, en)).toBe('/c')
    expect(codexHomeOf(undefined, linux, en)).toBe('/home/a/.codex')
  })

  it.each(['', ' '])('of Codex are not guessed when CODEX_HOME is %j', (value) => {
    expect(() => codexHomeOf(undefined, { ...linux, env: { CODEX_HOME: value } }, en)).toThrow(
      'CODEX_HOME is set but empty',
    )
    expect(() => codexHomeOf(value, linux, zh)).toThrow('CODEX_HOME 设成了空值')
  })

  it('of state are the system’s', () => {
    expect(stateOf(linux)).toBe('/home/a/.local/state/sidemind')
    expect(stateOf({ ...linux, env: { XDG_STATE_HOME: '/x' } })).toBe('/x/sidemind')
    expect(stateOf({ ...linux, platform: 'darwin' })).toBe('/home/a/Library/Application Support/sidemind')
    const windows = { platform: 'win32', env: {}, home: 'C:\\Users\\a' }
    expect(stateOf(windows)).toBe('C:\\Users\\a\\AppData\\Local\\sidemind')
    expect(stateOf({ ...windows, env: { LOCALAPPDATA: 'D:\\l' } })).toBe('D:\\l\\sidemind')
  })
})

// Each starts Node, on a machine that may be busy.
describe('the command', { timeout: 60_000 }, () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sm-cli-'))
    await writeFile(join(folder, 'codex'), '#!/bin/sh\nexit 3\n', { mode: 0o755 })
    await mkdir(join(folder, 'home'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const command = (args: readonly string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number | undefined; out: string; err: string }>((resolve) => {
      const file = join(import.meta.dirname, '../../src/cli.ts')
      const base = { PATH: '/nowhere', HOME: folder, LANG: 'en_US.UTF-8' }
      const options = { env: { ...base, ...env }, cwd: folder, timeout: 60_000 }
      const child = execFile(process.execPath, [file, ...args], options, (_error, out, err) =>
        resolve({ code: child.exitCode ?? undefined, out, err }),
      )
    })

  it.each<[string, readonly string[], Record<string, string>, string]>([
    [
      'is not there',
      ['codex'],
      {},
      'Codex was not found on the PATH. Install it with `npm i -g @openai/codex`, or name it with --codex <path>.',
    ],
    ['is not where it should be', ['codex', '--codex', '/nowhere/codex'], {}, 'There is no Codex at /nowhere/codex.'],
    ['has no home', ['codex', '--codex', './codex'], {}, 'There is no CODEX_HOME at '],
    ['has an empty home', ['codex', '--codex', './codex'], { CODEX_HOME: '' }, 'CODEX_HOME is set but empty.'],
    [
      'has no folder to work in',
      ['codex', '--codex', './codex', '--cwd', '/nowhere'],
      {},
      'There is no folder /nowhere.',
    ],
    ['does not start', ['codex', '--codex', './codex', '--codex-home', 'home'], {}, 'Codex could not be started: '],
  ])('says in a sentence that Codex %s, and ends with 1', async (_what, args, env, sentence) => {
    const { code, out, err } = await command(args, env)
    expect(err).toContain(sentence)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect({ code, out }).toEqual({ code: 1, out: '' })
  })

  /** A script that shakes hands as an app-server of this version would. */
  async function pretender(version: string): Promise<void> {
    const answer = { id: 1, result: { userAgent: `codex/${version} (test)`, codexHome: join(folder, 'home') } }
    const script = `#!${process.execPath}\nprocess.stdin.once('data', () => console.log('${JSON.stringify(answer)}'))`
    await writeFile(join(folder, 'codex'), `${script}\nprocess.stdin.on('end', () => process.exit())\n`)
  }

  it.each([
    ['0.154.9', 'Codex 0.154.9 is too old: sides need 0.155.0 or later.'],
    ['unknown', 'This Codex does not say which version it is: sides need 0.155.0 or later.'],
  ])('refuses Codex %s in a sentence', async (version, sentence) => {
    await pretender(version)
    const { code, err } = await command(['codex', '--codex', './codex', '--codex-home', 'home'])
    expect(err).toContain(sentence)
    expect(code).toBe(1)
  })

  it('says that the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { code, err } = await command(['codex', '--codex', './codex', '--codex-home', 'home', '--port', String(port)])
    server.close()
    expect(err).toBe(`Port ${port} is taken. Choose another with --port, or leave it out for a free one.\n`)
    expect(code).toBe(1)
  })
})

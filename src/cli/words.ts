/** What the command says, in English and Chinese. */

/** A failure that its person can act on: printed alone, then the command ends with 1. */
export class Told extends Error {
  override name = 'Told'
}

const INSTALL = 'npm i -g @openai/codex'

const en = {
  usage: `Usage: npx sidemind-for-dsh codex [flags]

Side conversations beside your Codex threads, served on this machine alone.

  --codex <path>        the Codex to run (the first on the PATH otherwise)
  --codex-home <dir>    the CODEX_HOME whose threads are used (CODEX_HOME or ~/.codex otherwise)
  --cwd <dir>           folder in which new threads start (this one otherwise)
  --port <n>            port on 127.0.0.1 (a free one otherwise)
  --state <dir>         own state folder: ids, models and folders of threads, no content
  --no-open             do not open the browser
  --json                when ready, print one line {"url","token","port"}; everything else goes to stderr
  --demo                a scripted model and a throwaway CODEX_HOME, removed at the end
  --help                this text`,
  noCommand: (given: string) =>
    given === '' ? 'Say what to start: codex.' : `There is no command "${given}", only codex.`,
  unknownFlag: (flag: string) => `There is no flag ${flag}.`,
  surplus: (given: string) => `Nothing is known to do with "${given}".`,
  needsValue: (flag: string) => `${flag} needs a value.`,
  takesNoValue: (flag: string) => `${flag} takes no value.`,
  badPort: (given: string) => `--port takes a number from 1 to 65535, not "${given}".`,
  demoHasHome: 'The demo brings a CODEX_HOME of its own: leave out --codex-home or --demo.',
  noDemo: 'The demo is not part of this installation.',
  emptyHome: 'CODEX_HOME is set but empty. Unset it to use ~/.codex, or name a folder with --codex-home <dir>.',
  noHome: (path: string) =>
    `There is no CODEX_HOME at ${path}. Run codex once to make it, or name another with --codex-home <dir>.`,
  noFolder: (path: string) => `There is no folder ${path}.`,
  noCodex: `Codex was not found on the PATH. Install it with \`${INSTALL}\`, or name it with --codex <path>.`,
  noCodexAt: (path: string) => `There is no Codex at ${path}. Install one with \`${INSTALL}\`.`,
  oldCodex: (version: string, minimum: string) =>
    `Codex ${version} is too old: sides need ${minimum} or later. Update it with \`${INSTALL}@latest\`.`,
  unknownCodex: (minimum: string) => `This Codex does not say which version it is: sides need ${minimum} or later.`,
  badCodex: (why: string) => `Codex could not be started: ${why}.`,
  noLogin: 'Codex has no login. Run `codex login` first.',
  portTaken: (port: number) => `Port ${port} is taken. Choose another with --port, or leave it out for a free one.`,
  portRefused: (port: number) => `Port ${port} may not be used here. Choose another with --port.`,
  page: (url: string) => `Page:        ${url}`,
  api: (url: string) => `API:         ${url}`,
  token: (token: string) => `Token:       ${token}`,
  codex: (version: string, home: string) => `Codex:       ${version}, CODEX_HOME ${home}`,
  demoNote: '(scripted model; removed at the end)',
  running: 'Ctrl+C ends everything.',
  noBrowser: (url: string) => `No browser could be opened: open ${url} yourself.`,
}

type Words = typeof en

const zh: Words = {
  usage: `用法：npx sidemind-for-dsh codex [选项]

在你的 Codex 对话旁边开临时旁问，只在本机提供服务。

  --codex <路径>        要运行的 Codex（默认取 PATH 里的第一个）
  --codex-home <目录>   使用哪个 CODEX_HOME 的对话（默认 CODEX_HOME 或 ~/.codex）
  --cwd <目录>          新对话所在的目录（默认当前目录）
  --port <端口>         127.0.0.1 上的端口（默认任选空闲端口）
  --state <目录>        自己的状态目录：只记对话的标识、模型和目录，不记内容
  --no-open             不打开浏览器
  --json                就绪后在标准输出打印一行 {"url","token","port"}，其余写到标准错误
  --demo                使用脚本模型和临时 CODEX_HOME，结束时删除
  --help                显示本说明`,
  noCommand: (given) => (given === '' ? '请说明要启动什么：codex。' : `没有“${given}”这个命令，只有 codex。`),
  unknownFlag: (flag) => `没有 ${flag} 这个选项。`,
  surplus: (given) => `不知道“${given}”要做什么。`,
  needsValue: (flag) => `${flag} 后面要有值。`,
  takesNoValue: (flag) => `${flag} 不带值。`,
  badPort: (given) => `--port 应是 1 到 65535 的数字，而不是“${given}”。`,
  demoHasHome: '演示自带 CODEX_HOME：请去掉 --codex-home 或 --demo。',
  noDemo: '这个安装里没有演示。',
  emptyHome: 'CODEX_HOME 设成了空值。请取消它以使用 ~/.codex，或用 --codex-home <目录> 指定。',
  noHome: (path) => `${path} 没有 CODEX_HOME。先运行一次 codex，或用 --codex-home <目录> 指定。`,
  noFolder: (path) => `没有目录 ${path}。`,
  noCodex: `PATH 里没有 Codex。请用 \`${INSTALL}\` 安装，或用 --codex <路径> 指定。`,
  noCodexAt: (path) => `${path} 没有 Codex。可用 \`${INSTALL}\` 安装。`,
  oldCodex: (version, minimum) =>
    `Codex ${version} 太旧：旁问需要 ${minimum} 或更新的版本。请用 \`${INSTALL}@latest\` 更新。`,
  unknownCodex: (minimum) => `看不出这个 Codex 的版本：旁问需要 ${minimum} 或更新的版本。`,
  badCodex: (why) => `Codex 没能启动：${why}。`,
  noLogin: 'Codex 还没有登录。请先运行 `codex login`。',
  portTaken: (port) => `端口 ${port} 已被占用。请用 --port 换一个，或省略它以任选空闲端口。`,
  portRefused: (port) => `这里不能使用端口 ${port}。请用 --port 换一个。`,
  page: (url) => `页面：       ${url}`,
  api: (url) => `接口：       ${url}`,
  token: (token) => `令牌：       ${token}`,
  codex: (version, home) => `Codex：      ${version}，CODEX_HOME ${home}`,
  demoNote: '（脚本模型，结束时删除）',
  running: '按 Ctrl+C 结束全部。',
  noBrowser: (url) => `没能打开浏览器：请自行打开 ${url}。`,
}

export type { Words }

/** The language of a terminal, as the environment names it. */
export function wordsOf(env: Readonly<Record<string, string | undefined>>): Words {
  const language = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || ''
  return /^zh\b|^zh_/i.test(language) ? zh : en
}

/** `npm run shots`: pictures of the surfaces on the real host, light and dark, in English and Chinese, into `shots/`; those
 *  that DESIGN.md shows also into `docs/images`. Owns the story they tell: a person at work on the sample project. */
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

import { closeBrowser, openBrowser, openPage } from '../test/kit/browser.ts'
import { startRig, type Rig } from '../test/kit/host.ts'
import { askIn, button, paste } from '../test/kit/surface.ts'
import { createTranslate } from '../ui/locales.ts'
import type { Behaviour } from './model/behaviours.ts'
import { ROOT } from './run-tool.ts'
import { wordsFor } from './sentence.ts'

interface Size {
  width: number
  height: number
}

const BTW_SIZE: Size = { width: 1280, height: 800 }
const SIDE_SIZE: Size = { width: 1440, height: 840 }
const NARROW_SIZE: Size = { width: 360, height: 740 }

const SHOTS = join(ROOT, 'shots')
const IMAGES = join(ROOT, 'docs/images')

/** What DESIGN.md shows, by the name of the shot. */
const REFERENCE: Record<string, string> = {
  'en-btw-answering-light': 'btw-answering',
  'en-btw-light': 'btw',
  'en-side-light': 'side',
  'en-side-dark': 'side-dark',
  'en-side-empty-light': 'side-empty',
  'zh-side-light': 'side-zh',
  'en-drawer-light': 'drawer',
  'en-narrow-light': 'narrow',
}

/** A question and what the model does with it. */
type Exchange = readonly [question: string, behaviour: Behaviour]

/** A question whose answer stops in the middle until it is let go on. */
interface Held {
  question: string
  begins: string
  ends: string
}

interface Story {
  locale: string
  /** Main's title. */
  title: string
  /** Main's turn that is over. */
  before: Exchange
  /** Main's open turn; it stands at the gate `main`. */
  main: Exchange
  btw: Held
  failing: string
  side: Exchange
  /** The end of the side's first answer, as the page shows it. */
  sideEnds: string
  follow: Held
  queued: string
}

/** Reads files first, says something, and goes on when the gate is opened. */
function reads(files: string[], after: Behaviour | string, reasoning = '', text = ''): Behaviour {
  const calls = files.map((path) => ({ name: 'read', arguments: { file_path: path } }))
  return { kind: 'tool', calls, reasoning, text, after, chunkMs: 50 }
}

/** Says the beginning, and the end once `name` is released. */
function held(name: string, before: string, after: string): Behaviour {
  return { kind: 'gate', name, before, after }
}

const plain = (text: string): Behaviour => ({ kind: 'plain', text, chunkMs: 2 })

const ENGLISH: Story = {
  locale: 'en-US',
  title: 'Add a --csv flag',
  before: [
    'Which files matter when I change what the command prints?',
    reads(
      ['README.md', 'src/cli.js'],
      plain(
        'Two of them:\n\n- `src/cli.js` reads the flags and decides between the table and JSON.\n- `src/format.js` turns the list of turns into the table.\n\nThe tide arithmetic in `src/tides.js` stays out of it.',
      ),
    ),
  ],
  main: [
    'Add a --csv flag next to --json, with a test.',
    reads(
      ['src/format.js', 'test/tides.test.js'],
      held(
        'main',
        "The list already has the three fields a CSV needs, so `asCsv` stands beside `asTable`:\n\n```js\nexport function asCsv(list) {\n  const rows = list.map(({ kind, time, height }) =>\n    [kind, new Date(time).toISOString(), height.toFixed(2)].join(','),\n  )\n  return ['kind,time,height', ...rows].join('\\n')\n}\n```\n\nNext is the flag in `src/cli.js`. `--json` wins when both are",
        ' given.',
      ),
      '',
      'I look at the formatter and the existing test first.',
    ),
  ],
  btw: {
    question: 'what does --frozen-lockfile change?',
    begins: 'It forbids `yarn install` to touch `yarn.lock`. If the file does not fit',
    ends: ' `package.json`, the install stops with an error instead of repairing it.\n\n- **Without it** a stale lock file is updated quietly, and your build uses versions nobody has reviewed.\n- **With it** the install is the same everywhere, or it fails.\n\nThe counterpart in npm is `npm ci`, which is what your CI should run here.',
  },
  failing: 'is npm ci slower than npm install?',
  side: [
    'why are there two lock files?',
    reads(
      ['README.md', 'yarn.lock'],
      plain(
        'Because two package managers are in use, and the README says so: some of you still run Yarn, while CI runs `npm install`.\n\n| file | written by | kleur |\n| --- | --- | --- |\n| `package-lock.json` | npm | 4.1.5 |\n| `yarn.lock` | Yarn | 4.1.4 |\n\nThey have drifted apart: `yarn.lock` still answers to `^4.1.4`.',
      ),
      'Two lock files usually mean two package managers. The README may say which one is meant, and the lock files themselves show whether they still agree. I read both before I answer.',
    ),
  ],
  sideEnds: 'They have drifted apart',
  follow: {
    question: 'which one should I delete?',
    begins:
      '`yarn.lock`. CI never reads it, and it is the one that is out of date. Ask whoever still uses Yarn first; for them',
    ends: ' nothing changes but the command.',
  },
  queued: 'and does the README need a change then?',
}

const CHINESE: Story = {
  locale: 'zh-CN',
  title: '加一个 --csv 选项',
  before: [
    '要改命令的输出格式，该看哪几个文件？',
    reads(
      ['README.md', 'src/cli.js'],
      plain(
        '主要是两个：\n\n- `src/cli.js` 读取选项，决定输出表格还是 JSON。\n- `src/format.js` 把潮汐列表排成表格。\n\n`src/tides.js` 只管计算，不用动。',
      ),
    ),
  ],
  main: [
    '在 --json 旁边加一个 --csv，带上测试。',
    reads(
      ['src/format.js', 'test/tides.test.js'],
      held(
        'main',
        "列表里已有 CSV 需要的三个字段，所以在 `asTable` 旁边写一个 `asCsv`：\n\n```js\nexport function asCsv(list) {\n  const rows = list.map(({ kind, time, height }) =>\n    [kind, new Date(time).toISOString(), height.toFixed(2)].join(','),\n  )\n  return ['kind,time,height', ...rows].join('\\n')\n}\n```\n\n接下来在 `src/cli.js` 里读取这个选项。两个都给的时候，",
        '以 `--json` 为准。',
      ),
      '',
      '先看看格式化的代码和现有的测试。',
    ),
  ],
  btw: {
    question: '--frozen-lockfile 有什么用？',
    begins: '它不允许 `yarn install` 改动 `yarn.lock`。如果锁文件和',
    ends: ' `package.json` 对不上，安装会直接报错，而不是悄悄修好。\n\n- **不加**：过期的锁文件会被自动更新，构建用上没人看过的版本。\n- **加上**：要么处处装得一样，要么失败。\n\nnpm 里对应的是 `npm ci`，这个项目的 CI 适合用它。',
  },
  failing: 'npm ci 会比 npm install 慢吗？',
  side: [
    '为什么有两个锁文件？',
    reads(
      ['README.md', 'yarn.lock'],
      plain(
        '因为有两种包管理器在用，README 里写着：有人还在用 Yarn，CI 跑的是 `npm install`。\n\n| 文件 | 由谁写入 | kleur |\n| --- | --- | --- |\n| `package-lock.json` | npm | 4.1.5 |\n| `yarn.lock` | Yarn | 4.1.4 |\n\n两边已经不一致：`yarn.lock` 里还是 `^4.1.4`。',
      ),
      '两个锁文件通常意味着两种包管理器。README 里可能写了以哪个为准，锁文件本身能看出两边是否一致。先读完再回答。',
    ),
  ],
  sideEnds: '两边已经不一致',
  follow: {
    question: '该删哪一个？',
    begins: '删 `yarn.lock`。CI 从来不读它，而且过期的正是它。删之前问一声还在用 Yarn 的人；对他们来说',
    ends: '只是换一个命令。',
  },
  queued: '那 README 也要改吗？',
}

/** The page of one conversation, and the pictures taken of it. */
interface Scene {
  rig: Rig
  story: Story
  page: Page
  /** One of our regions by its name. */
  region(key: 'btw.label' | 'side.label', title: string): Locator
  /** Our words in the page's language. */
  word: ReturnType<typeof createTranslate>
  /** Takes the page as it is, light and dark. */
  shoot(name: string): Promise<void>
}

// Leaving through `exit` takes the host and its folder along.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

try {
  await run()
  process.exit(0)
} catch (error) {
  process.stderr.write(`${wordsFor(error)}\n`)
  process.exit(1)
}

async function run(): Promise<void> {
  await rm(SHOTS, { recursive: true, force: true })
  await mkdir(SHOTS, { recursive: true })
  await mkdir(IMAGES, { recursive: true })
  try {
    await onRig(false, ENGLISH, BTW_SIZE, btwScene)
    await onRig(false, ENGLISH, SIDE_SIZE, sideScene)
    await onRig(true, ENGLISH, SIDE_SIZE, drawerScene)
    if (await hasChinese()) {
      await onRig(false, CHINESE, BTW_SIZE, btwScene)
      await onRig(false, CHINESE, SIDE_SIZE, sideScene)
    } else {
      say(
        'The Chinese pictures are left out: this machine has no Chinese font. Install one (on Debian: fonts-noto-cjk).',
      )
    }
  } finally {
    await closeBrowser()
  }
  for (const [shot, image] of Object.entries(REFERENCE)) {
    await copyFile(join(SHOTS, `${shot}.png`), join(IMAGES, `${image}.png`)).catch(() =>
      say(`docs/images/${image}.png stays as it was.`),
    )
  }
}

async function btwScene({ rig, story, page, region, word, shoot }: Scene): Promise<void> {
  const { btw, failing } = story
  const card = region('btw.label', btw.question)
  await paste(page, `/btw ${btw.question}`)
  await card.getByText(lastWords(btw.begins)).waitFor()
  await page.waitForTimeout(2_000)
  await shoot('btw-answering')
  rig.model.release('btw')
  await button(card, word('action.retry')).waitFor()
  await shoot('btw')
  await page.keyboard.press('Escape')
  await page
    .getByRole('button', { name: word('action.undo') })
    .first()
    .waitFor()
  await shoot('undo')
  await paste(page, `/btw ${failing}`)
  await button(region('btw.label', failing), word('action.retry')).waitFor()
  await page
    .getByRole('button', { name: word('action.undo') })
    .first()
    .waitFor({ state: 'detached', timeout: 15_000 })
  await shoot('btw-error')
}

async function sideScene(scene: Scene): Promise<void> {
  const { page, story, word, region, shoot } = scene
  await paste(page, '/side')
  const empty = region('side.label', word('side.untitled'))
  await empty.getByText(word('side.empty')).waitFor()
  await page.waitForTimeout(500)
  await shoot('side-empty')
  await askIn(empty, story.side[0])
  await talkOn(scene)
  await shoot('side')
}

async function drawerScene(scene: Scene): Promise<void> {
  const { page, story, shoot } = scene
  await paste(page, `/side ${story.side[0]}`)
  await talkOn(scene)
  await shoot('drawer')
  await page.setViewportSize(NARROW_SIZE)
  await page.waitForTimeout(1_000)
  await shoot('narrow')
}

/** The first answer, a second question whose answer stands still, and a third one behind it. */
async function talkOn({ page, story, region }: Scene): Promise<void> {
  const panel = region('side.label', story.side[0])
  await panel.getByText(story.sideEnds).waitFor({ timeout: 30_000 })
  await page.waitForTimeout(500)
  await askIn(panel, story.follow.question)
  await panel.getByText(lastWords(story.follow.begins)).waitFor()
  await askIn(panel, story.queued)
  await panel.getByText(story.queued, { exact: true }).waitFor()
  await page.waitForTimeout(1_500)
}

/** Without a font every character is the same empty box. */
async function hasChinese(): Promise<boolean> {
  const page = await (await openBrowser()).newPage()
  const differ = await page.evaluate(() => {
    const [one, other] = ['问', '答'].map((text) => {
      const canvas = document.createElement('canvas')
      const pen = canvas.getContext('2d')
      if (pen === null) return ''
      pen.font = '40px sans-serif'
      pen.fillText(text, 10, 60)
      return canvas.toDataURL()
    })
    return one !== other
  })
  await page.close()
  return differ
}

/** One scene on a host of its own. */
async function onRig(stock: boolean, story: Story, size: Size, act: (scene: Scene) => Promise<void>): Promise<void> {
  const rig = await startRig({ stock })
  try {
    await inScene(rig, story, size, act)
  } finally {
    await rig.stop()
  }
}

/** A conversation with a turn behind it and one that is being answered. */
async function inScene(rig: Rig, story: Story, viewport: Size, act: (scene: Scene) => Promise<void>): Promise<void> {
  const { before, main, btw, side, follow, queued, failing, title, locale } = story
  const language = locale.slice(0, 2)
  const word = createTranslate(locale)
  rig.model.script({ on: 'title', behaviour: plain(title) })
  for (const [match, behaviour] of [before, main, side]) rig.model.script({ match, behaviour })
  for (const [name, { question, begins, ends }] of Object.entries({ btw, side: follow })) {
    rig.model.script({ match: question, behaviour: held(name, begins, ends) })
  }
  rig.model.script({ match: failing, behaviour: { kind: 'status', status: 401 } })
  rig.model.script({ match: queued, behaviour: plain('…') })

  const sessionId = await rig.newSession()
  await rig.ask(sessionId, before[0])
  const open = await openPage(rig.url, { sessionId, viewport, locale })
  const { page } = open
  try {
    await paste(page, main[0])
    await page.locator('[data-chat-flow]').getByText('asCsv').last().waitFor()
    await page.waitForTimeout(1_500)
    await act({
      rig,
      story,
      page,
      word,
      region: (key, named) =>
        page
          .locator('[data-sidemind]')
          .getByRole('region', { name: word(key, { title: named }), exact: true })
          .first(),
      async shoot(name) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.waitForTimeout(400)
          await page.screenshot({ path: join(SHOTS, `${language}-${name}-${colorScheme}.png`) })
        }
        await page.emulateMedia({ colorScheme: 'light' })
        say(`${language} ${name}`)
      },
    })
  } finally {
    await open.close()
  }
}

/** What the page shows of a Markdown beginning once all of it has arrived. */
function lastWords(text: string): string {
  return text.split('`').at(-1)?.trim() ?? text
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** A walk through every state that a person can see, in either language: the one story that the accessibility tests, the language
 *  tests, the geometry tests and `npm run shots` tell. Each walk stops at each state and calls `visit` with its name. */
import type { Locator, Page } from 'playwright-core'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import { createTranslate, type Translate } from '../../ui/locales.ts'
import type { Rig } from './host.ts'
import { askIn, button, composer, paste } from './surface.ts'

export type Language = 'en' | 'zh'

/** A phone, a small window, a desk. */
export const WIDTHS = [
  { width: 320, height: 720 },
  { width: 768, height: 800 },
  { width: 1440, height: 900 },
] as const

export interface Scene {
  readonly rig: Rig
  readonly page: Page
  readonly sessionId: string
  /** Our words in the page's language. */
  readonly word: Translate
  readonly say: Words
}

export type Visit = (state: string) => Promise<void>

/** What is asked and answered; no Latin word outside code in the Chinese one. */
interface Words {
  readonly hello: string
  readonly hi: string
  readonly slow: string
  readonly reason: string
  readonly begins: string
  readonly ends: string
  readonly next: string
  readonly short: string
  readonly stop: string
  readonly fail: string
  readonly refuse: string
  readonly refused: string
  /** A question of main about two files, and its answer in words long enough to quote. */
  readonly compare: string
  readonly told: string
  /** What main works on while a side watches. */
  readonly work: string
  readonly done: string
  readonly find: string
  readonly which: string
  readonly choose: Question
  /** What is in the answer “which” and is looked for. */
  readonly term: string
}

/** As the host's question tool takes it. */
interface Question {
  readonly id: string
  readonly question: string
  readonly header: string
  readonly options: readonly { readonly label: string; readonly description?: string }[]
}

const RICH_EN =
  'Because **two** tools are in use, see [the readme](https://example.com/readme):\n\n| file | written by |\n| --- | --- |\n| `package-lock.json` | npm |\n| `yarn.lock` | Yarn |\n\n- [x] both are there\n- [ ] one is right\n\n> It says so.\n\n```js\nconst turns = list.map(({ kind }) => kind)\n```\n\nThey have drifted'
const RICH_ZH =
  '因为有**两种**工具在用，见[说明](https://example.com/readme)：\n\n| 文件 | 由谁写入 |\n| --- | --- |\n| `package-lock.json` | `npm` |\n| `yarn.lock` | `yarn` |\n\n- [x] 两个都在\n- [ ] 只有一个对\n\n> 里面就是这么写的。\n\n```js\nconst turns = list.map(({ kind }) => kind)\n```\n\n两边已经不'

const WORDS: Record<Language, Words> = {
  en: {
    hello: 'Good morning.',
    hi: 'Good morning to you.',
    slow: 'Why are there two lock files?',
    reason: 'Two lock files usually mean two package managers.',
    begins: RICH_EN,
    ends: ' apart.',
    next: 'And who reads the second one?',
    short: 'Nobody does.',
    stop: 'What does the script do?',
    fail: 'Is that safe?',
    refuse: 'Can you delete it?',
    refused: 'I may not.',
    compare: 'Which one is older?',
    told: 'The one that Yarn writes is older. Nobody has run Yarn here since the workflow was changed, and its entries still answer to version ranges that the manifest dropped half a year ago. Whoever still has Yarn installed gets versions that nobody has tested since. The other one is written anew at every install.',
    work: 'Add a flag, please.',
    done: 'The flag is there.',
    find: 'Who mentions the second one?',
    which: 'Which manager should we keep?',
    choose: {
      id: 'manager',
      header: 'Manager',
      question: 'Which manager do you use yourself?',
      options: [
        { label: 'npm', description: 'It came with Node.' },
        { label: 'Yarn', description: 'It was here first, and the workflow of the other team still calls it.' },
      ],
    },
    term: 'older',
  },
  zh: {
    hello: '早上好。',
    hi: '你也早上好。',
    slow: '为什么有两个锁文件？',
    reason: '两个锁文件通常意味着两种包管理器。',
    begins: RICH_ZH,
    ends: '一致了。',
    next: '谁在用第二个？',
    short: '没有人用。',
    stop: '这个脚本做什么？',
    fail: '这样安全吗？',
    refuse: '能把它删掉吗？',
    refused: '我不能删。',
    compare: '哪一个更旧？',
    told: '`yarn` 写的那个更旧。自从工作流改过以后，这里再没有人用过它，里面的条目对应的还是半年前就从清单里去掉的版本范围。谁要是还装着它，拿到的就是很久没有人测试过的版本，出了问题也很难说清是哪一边的原因，因为两边的记录早就对不上了。另一个每次安装都会重写，所以总是新的。',
    work: '请加一个选项。',
    done: '选项加好了。',
    find: '哪里提到了第二个？',
    which: '留下哪一种？',
    choose: {
      id: 'manager',
      header: '工具',
      question: '你自己用的是哪一种？',
      options: [
        { label: '第一种', description: '装运行环境时就带着。' },
        { label: '第二种', description: '一直在用，另一个小组的工作流里也还在调用它。' },
      ],
    },
    term: '更旧',
  },
}

/** Scripts the model for the story and starts a conversation with two turns. @returns its id. */
export async function prepare(
  rig: Rig,
  language: Language,
): Promise<{ sessionId: string; say: Words; word: Translate }> {
  const say = WORDS[language]
  rig.model.clear()
  const answers: [string, Behaviour][] = [
    [say.hello, { kind: 'plain', text: say.hi }],
    [
      say.slow,
      {
        kind: 'steps',
        steps: [
          { do: 'think', text: say.reason },
          { do: 'gate', name: 'thought' },
          { do: 'call', name: 'read', arguments: { file_path: 'README.md' } },
        ],
        after: { kind: 'gate', name: 'told', before: say.begins, after: say.ends },
      },
    ],
    [say.next, { kind: 'plain', text: say.short }],
    [say.stop, { kind: 'stall', text: say.short }],
    [say.fail, { kind: 'status', status: 401 }],
    [say.refuse, { kind: 'write-tool', path: 'notes.txt', content: 'x', after: say.refused }],
    [say.compare, { kind: 'plain', text: say.told }],
  ]
  rig.model.script({ on: 'title', behaviour: { kind: 'plain', text: say.hello } })
  for (const [match, behaviour] of answers) rig.model.script({ match, behaviour })
  const sessionId = await rig.newSession()
  await rig.ask(sessionId, say.hello)
  await rig.ask(sessionId, say.compare)
  return { sessionId, say, word: createTranslate(language) }
}

/** A side from its empty state to its end. */
export async function walkSide(scene: Scene, visit: Visit): Promise<void> {
  const { page, rig, say, word } = scene
  await paste(page, '/side')
  const empty = region(scene, word('side.label', { title: word('side.untitled') }))
  await empty.getByText(word('side.empty')).waitFor()
  await visit('side-empty')
  await button(empty, word('info.open')).click()
  await visit('side-about')
  await page.keyboard.press('Escape')

  const letGo = await holdCommands(page)
  await askIn(empty, say.slow)
  const side = region(scene, word('side.label', { title: say.slow }))
  await side.getByText(word('phase.opening')).first().waitFor()
  await visit('side-opening')
  await letGo()
  await side.getByText(word('phase.thinking')).first().waitFor()
  await visit('side-thinking')
  rig.model.release('thought')
  await side.getByText(lastWords(say.begins)).waitFor()
  await visit('side-answering')
  await askIn(side, say.next)
  await side.getByText(say.next, { exact: true }).waitFor()
  await visit('side-queued')
  rig.model.release('told')
  await side.getByText(say.short, { exact: true }).waitFor()
  await settled(side, word)
  await visit('side-answered')

  await askIn(side, say.stop)
  await side.getByText(say.short, { exact: true }).nth(1).waitFor()
  await button(side, word('action.stop')).click()
  await side.getByText(word('turn.stopped'), { exact: true }).first().waitFor()
  await visit('side-stopped')
  await askIn(side, say.refuse)
  await side.getByText(say.refused, { exact: true }).waitFor()
  await settled(side, word)
  await visit('side-refused')
  await askIn(side, say.fail)
  await side.getByText(word('failure.auth')).first().waitFor({ timeout: 30_000 })
  await visit('side-failed')
}

/** The card: asked, answered, two of them, failed, closed, and its ask box. */
export async function walkCard(scene: Scene, visit: Visit): Promise<void> {
  const { page, rig, say, word } = scene
  const letGo = await holdCommands(page)
  await paste(page, `/btw ${say.slow}`)
  const card = region(scene, word('btw.label', { title: say.slow }))
  await card.waitFor()
  await visit('card-opening')
  await letGo()
  await card.getByText(word('phase.thinking')).first().waitFor()
  await visit('card-thinking')
  rig.model.release('thought')
  await card.getByText(lastWords(say.begins)).waitFor()
  await visit('card-answering')
  rig.model.release('told')
  await settled(card, word)
  await visit('card-answered')
  await paste(page, `/btw ${say.next}`)
  const second = region(scene, word('btw.label', { title: say.next }))
  await settled(second, word)
  await visit('card-second')
  await button(second, word('action.close')).click()
  await button(ours(page), word('action.undo')).waitFor()
  await visit('card-undo')
  await button(card, word('action.close')).click()
  await paste(page, `/btw ${say.fail}`)
  const failed = region(scene, word('btw.label', { title: say.fail }))
  await failed.getByText(word('failure.auth')).first().waitFor({ timeout: 30_000 })
  await visit('card-failed')
  await button(failed, word('action.close')).click()
  await failed.waitFor({ state: 'detached' })
  await paste(page, '/btw')
  await region(scene, word('btw.ask')).waitFor()
  await visit('card-ask')
  await button(region(scene, word('btw.ask')), word('action.close')).click()
}

/** A side and a card while the host is gone, and after it came back without them. The scene's host has been restarted then. */
export async function walkLoss(scene: Scene, visit: Visit): Promise<void> {
  const { page, rig, say, word } = scene
  await paste(page, `/side ${say.next}`)
  const side = region(scene, word('side.label', { title: say.next }))
  await settled(side, word)
  await paste(page, `/btw ${say.stop}`)
  const card = region(scene, word('btw.label', { title: say.stop }))
  await card.getByText(say.short, { exact: true }).waitFor()
  await page.context().setOffline(true)
  await rig.crash()
  await card.getByText(word('phase.offline')).first().waitFor({ timeout: 20_000 })
  await visit('offline')
  await rig.restartHost()
  await page.context().setOffline(false)
  await button(card, word('action.startAgain')).waitFor({ timeout: 40_000 })
  await button(side, word('action.startAgain')).waitFor({ timeout: 40_000 })
  await visit('ended')
  await button(side, word('action.startAgain')).click()
  const again = region(scene, word('side.label', { title: word('side.untitled') }))
  await again.getByText(word('side.recent')).waitFor()
  await visit('side-recent')
  await button(again, say.next).first().click()
  await again.getByText(say.short, { exact: true }).waitFor()
  await visit('side-reading')
}

/** One of our regions by its name. */
export function region({ page }: Pick<Scene, 'page'>, name: string): Locator {
  return ours(page).getByRole('region', { name, exact: true }).first()
}

export function ours(page: Page): Locator {
  return page.locator('[data-sidemind]')
}

/** Waits until the last answer has its actions. */
export async function settled(within: Locator, word: Translate): Promise<void> {
  await button(within, word('action.stop')).waitFor({ state: 'detached', timeout: 30_000 })
  await button(within, word('action.retry')).last().waitFor({ timeout: 30_000 })
}

/** What the page shows of a Markdown text once all of it has arrived. */
export function lastWords(markdown: string): string {
  return markdown.split('\n').at(-1) ?? markdown
}

/** Keeps typed commands from reaching the host until let go. */
async function holdCommands(page: Page): Promise<() => Promise<void>> {
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const pattern = /\/api\/commands/
  await page.route(pattern, async (route) => {
    await gate
    await route.continue().catch(() => undefined)
  })
  return async () => {
    open()
    await page.unroute(pattern, undefined)
  }
}

/** Waits until the page can be used in this conversation. */
export async function ready(page: Page, say: Words): Promise<void> {
  await page.locator('[data-chat-flow]').getByText(say.told.slice(-12)).waitFor()
  await composer(page).waitFor()
}

/** The page of the service over the real Codex: main, and sides beside it, in a browser. */
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { waitUntil } from '../kit/codex.ts'
import { startPageRig, type PageRig } from '../kit/codex-page.ts'
import { family } from '../kit/processes.ts'

let rig: PageRig
beforeAll(async () => {
  rig = await startPageRig()
})
afterAll(() => rig?.end())

const main = (page: Page) => page.getByRole('main')
const composer = (page: Page) => main(page).locator('textarea').last()
const panel = (page: Page) => page.getByRole('complementary')
const card = (page: Page) => page.locator('[data-side][data-raised]')

/** Asks in main's composer; the model answers with `answer`. */
async function say(page: Page, text: string, answer?: string): Promise<void> {
  if (answer !== undefined) reply(text.replace(/^\/\w+ /, ''), answer)
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

const reply = (match: string, text: string): void => rig.lab.model.script({ match, behaviour: { kind: 'plain', text } })

const answers = (where: Locator) => where.locator('[data-answer]')

/** A new thread from the list. */
async function newThread(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'New thread' }).click()
  await composer(page).waitFor()
  await waitUntil('the address names the thread', () => new URL(page.url()).hash.length > 1)
  return new URL(page.url()).hash.slice(1)
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(async () => {
    const { violations: all } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document)
    return all.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
  return found
}

/** For whoever wants to look. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['SIDEMIND_PAGE_SHOTS']
  if (folder === undefined) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

const settledMain = (page: Page, text: string) => main(page).locator('[data-answer]').getByText(text).first()

const SAID = {
  'en-US': {
    main: 'Why are there two lockfiles?',
    part: 'Keep the one',
    answer:
      'One per package manager:\n\n| file | written by |\n| --- | --- |\n| `package-lock.json` | npm |\n| `yarn.lock` | Yarn |\n\nKeep the one that CI installs from.',
    btw: 'what does --frozen-lockfile change?',
    short: 'It refuses to **update** the lockfile: an install that would change it fails.',
    side: 'and how do I see which one CI uses?',
    code: 'Look for the install step of the workflow:\n\n```sh\ngrep -rn "npm ci" .github\n```\n\n`npm ci` reads `package-lock.json` alone.',
  },
  'zh-CN': {
    main: '为什么有两个锁文件？',
    part: '留下',
    answer:
      '每个包管理器各写一个：\n\n| 文件 | 由谁写 |\n| --- | --- |\n| `package-lock.json` | npm |\n| `yarn.lock` | Yarn |\n\n留下 CI 安装时用的那个。',
    btw: '--frozen-lockfile 有什么不同？',
    short: '它拒绝**更新**锁文件：需要改动它的安装会失败。',
    side: '怎么看 CI 用的是哪一个？',
    code: '看工作流里安装的那一步：\n\n```sh\ngrep -rn "npm ci" .github\n```\n\n`npm ci` 只读 `package-lock.json`。',
  },
} as const

describe('the page', () => {
  it('runs main and answers beside it meanwhile; a pending approval stays and can be allowed afterwards', async () => {
    rig.lab.model.script({
      match: 'Add made.txt',
      behaviour: {
        kind: 'tool',
        calls: [
          {
            name: 'exec_command',
            arguments: {
              cmd: 'touch made.txt',
              sandbox_permissions: 'require_escalated',
              justification: 'The folder is read-only here: may I add the file?',
            },
          },
        ],
        after: 'The file is made.',
      },
    })
    const { page, errors, close } = await rig.open()
    await shot(page, 'list-empty')
    await newThread(page)
    await shot(page, 'empty')
    await say(page, 'What is in this project?', 'A tide table.')
    await settledMain(page, 'A tide table.').waitFor()
    await say(page, 'Add made.txt, please.')
    const asked = main(page).getByRole('group', { name: 'It wants to run a command' })
    await asked.waitFor()
    expect(await composer(page).inputValue()).toBe('')

    await say(page, '/btw what does it want?', 'It wants to make **one file**.')
    await answers(card(page)).getByText('one file').waitFor()
    await say(page, '/side why that file?', 'Because you asked.')
    await answers(panel(page)).getByText('Because you asked.').waitFor()
    expect(await composer(page).inputValue()).toBe('')
    await shot(page, 'approval')
    expect(await violations(page)).toEqual([])
    await expect(stat(join(rig.lab.work, 'made.txt'))).rejects.toThrow()

    await asked.getByRole('button', { name: 'Allow' }).click()
    await settledMain(page, 'The file is made.').waitFor()
    expect(await asked.count()).toBe(0)
    expect((await stat(join(rig.lab.work, 'made.txt'))).isFile()).toBe(true)
    expect(await main(page).locator('[data-turn]').count()).toBe(2 + 1)
    expect(rig.lab.model.requests().map(({ lastUser }) => lastUser)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/\/(side|btw)/)]),
    )
    expect(errors).toEqual([])
    await close()
  })

  it('stops main alone, keeps what it said, and brings the sides back after a reload', async () => {
    const { page, errors, close } = await rig.open()
    await newThread(page)
    await say(page, 'MAIN-STALL [[stall]]')
    const stop = main(page).getByRole('button', { name: 'Stop' })
    await stop.waitFor()
    await say(page, '/side and you?', 'I answer.')
    await answers(panel(page)).getByText('I answer.').waitFor()
    await page.reload()
    await answers(panel(page)).getByText('I answer.').waitFor()
    await stop.click()
    await main(page).getByText('stopped').waitFor()
    reply('still there?', 'Still here.')
    await panel(page).locator('textarea').fill('still there?')
    await panel(page).locator('textarea').press('Enter')
    await answers(panel(page)).getByText('Still here.').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  it('goes on in every tab, however many sides each of them shows', async () => {
    const { page, errors, close } = await rig.open()
    const threadId = await newThread(page)
    await say(page, 'MAIN-TABS', 'Here.')
    await settledMain(page, 'Here.').waitFor()
    for (const name of ['one', 'two', 'three']) {
      await say(page, `/side ${name}?`, `It is ${name}.`)
      await answers(panel(page)).getByText(`It is ${name}.`).waitFor()
    }
    // A browser gives an address six connections over all its tabs.
    for (const name of ['four', 'five', 'six']) {
      const tab = await page.context().newPage()
      await tab.goto(`${rig.url}#${threadId}`)
      await settledMain(tab, 'Here.').waitFor()
      await say(tab, `/side ${name}?`, `It is ${name}.`)
      await answers(panel(tab)).getByText(`It is ${name}.`).waitFor()
    }
    await page.bringToFront()
    await say(page, '/side seven?', 'It is seven.')
    await answers(panel(page)).getByText('It is seven.').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  it('shows a lost process as ended, to be read and attached again', async () => {
    const { page, errors, close } = await rig.open()
    await newThread(page)
    await say(page, 'MAIN-ONE', 'First answer.')
    await settledMain(page, 'First answer.').waitFor()
    await say(page, '/side why?', 'Because.')
    await answers(panel(page)).getByText('Because.').waitFor()
    for (const { pid } of family(process.pid).filter(({ command }) => command.includes('app-server')))
      process.kill(pid, 'SIGKILL')
    await main(page).getByText('Codex has stopped').waitFor()
    await panel(page).getByText('The agent behind this side is gone').waitFor()
    await settledMain(page, 'First answer.').waitFor()
    await answers(panel(page)).getByText('Because.').waitFor()
    await shot(page, 'lost')
    expect(await violations(page)).toEqual([])
    await say(page, 'and now?')
    await main(page).getByRole('alert').waitFor()
    expect(await composer(page).inputValue()).toBe('and now?')
    await composer(page).fill('')

    await main(page).getByRole('button', { name: 'Attach again' }).click()
    await main(page).getByText('Codex has stopped').waitFor({ state: 'detached' })
    await main(page).getByText('Attaching this thread').waitFor({ state: 'detached' })
    await say(page, 'MAIN-TWO', 'Second answer.')
    await settledMain(page, 'Second answer.').waitFor()
    await settledMain(page, 'First answer.').waitFor()
    await panel(page).getByRole('button', { name: 'Start again' }).click()
    reply('again?', 'Yes.')
    await panel(page).locator('textarea').fill('again?')
    await panel(page).locator('textarea').press('Enter')
    await answers(panel(page)).getByText('Yes.').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  it('keeps what is typed while the service is down, sends nothing of it to main, and goes on when it is back', async () => {
    const { page, close } = await rig.open()
    await newThread(page)
    await say(page, 'MAIN-DOWN', 'Before.')
    await settledMain(page, 'Before.').waitFor()
    const requests = rig.lab.model.requests().length
    await rig.stop()
    await page.getByText('The service cannot be reached. What you typed is kept').waitFor()
    await say(page, '/side is anybody there?', 'Here again.')
    await main(page).getByText('Your text is kept').waitFor()
    expect(await composer(page).inputValue()).toContain('/side is anybody there?')
    await shot(page, 'gone')
    expect(await violations(page)).toEqual([])
    await rig.start()
    await page.getByText('connected', { exact: true }).waitFor()
    await settledMain(page, 'Before.').waitFor()
    expect(rig.lab.model.requests()).toHaveLength(requests)
    await composer(page).press('Enter')
    await answers(panel(page)).getByText('Here again.').waitFor()
    expect(await composer(page).inputValue()).toBe('')
    await close()
  })

  it.each([
    ['light', 'en-US', 1440],
    ['dark', 'en-US', 1440],
    ['light', 'zh-CN', 768],
    ['dark', 'zh-CN', 360],
  ] as const)('is free of findings in %s, %s, %i pixels wide', async (colorScheme, locale, width) => {
    const height = width === 360 ? 740 : 900
    const { page, errors, close } = await rig.open({ colorScheme, locale, viewport: { width, height } })
    await page.locator('h1').waitFor()
    await page.getByRole('listitem').first().waitFor()
    await shot(page, `list-${colorScheme}-${width}`)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: /New thread|新对话/ }).click()
    await composer(page).waitFor()
    const said = SAID[locale]
    await say(page, said.main, said.answer)
    await settledMain(page, said.part).waitFor()
    await say(page, `/btw ${said.btw}`, said.short)
    await answers(card(page)).locator('strong').waitFor()
    await say(page, `/side ${said.side}`, said.code)
    await answers(panel(page)).locator('pre').waitFor()
    await shot(page, `thread-${colorScheme}-${width}`)
    expect(await violations(page)).toEqual([])
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(over).toBeLessThanOrEqual(0)
    expect(errors).toEqual([])
    await close()
  })
})

describe('who may have the page', () => {
  it('only who knows the token, with headers that let it load itself and nothing else', async () => {
    const { url } = rig.service
    for (const path of ['/t/', '/t/wrong/', '/t/wrong/page.js', '/t/the-token-of-this-pagE/'])
      expect((await fetch(url + path)).status).toBe(404)
    for (const path of ['../../package.json', '..%2Findex.js', 'web/page.js', 'page.js/'])
      expect((await fetch(rig.url + path)).status).toBe(404)
    for (const name of ['', 'page.js', 'page.css', 'later/markdown.js']) {
      const answer = await fetch(rig.url + name)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
      )
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    const bare = await fetch(rig.url.slice(0, -1), { redirect: 'manual' })
    expect(bare.headers.get('location')).toBe(new URL(rig.url).pathname)
  })
})

/** `npm run shots`: pictures of the surfaces on the real host, light and dark, in English and Chinese, into `shots/`: the scenes that
 *  DESIGN.md shows (also into `docs/images`), and every state at three widths. `-- --scenes` takes the scenes alone. */
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { closeBrowser } from '../test/kit/browser.ts'
import { startRig } from '../test/kit/host.ts'
import type { Language } from '../test/kit/states.ts'
import { ROOT } from './run-tool.ts'
import { wordsFor } from './sentence.ts'
import { hasChinese } from './pictures/chinese-font.ts'
import { everyState } from './pictures/every-state.ts'
import { btwScene, drawerScene, onRig, sideScene, type Size } from './pictures/scenes.ts'
import { CHINESE, ENGLISH } from './pictures/story.ts'

const BTW_SIZE: Size = { width: 1280, height: 800 }
const SIDE_SIZE: Size = { width: 1440, height: 840 }

const SHOTS = join(ROOT, 'shots')
const IMAGES = join(ROOT, 'docs/images')

/** What README and DESIGN.md show, by the name of the shot. */
const REFERENCE: Record<string, string> = {
  'en-btw-answering-light': 'btw-answering',
  'en-btw-light': 'btw',
  'en-side-light': 'side',
  'en-side-dark': 'side-dark',
  'en-side-empty-light': 'side-empty',
  'zh-side-light': 'side-zh',
  'en-drawer-light': 'drawer',
  'en-narrow-light': 'narrow',
  'en-undo-light': 'undo',
  'en-btw-error-light': 'btw-error',
  'zh-btw-dark': 'btw-zh-dark',
  'en-sidebar-quote-bar-768-light': 'quote-bar',
  'en-sidebar-quote-ask-768-light': 'quote-ask',
  'en-sidebar-card-search-768-light': 'search',
  'en-sidebar-side-asks-768-light': 'side-asks',
  'en-sidebar-side-models-768-dark': 'models-dark',
  'en-sidebar-side-recent-768-light': 'recent',
  'en-sidebar-settings-changed-1440-light': 'settings',
  'en-drawer-offline-1440-light': 'offline',
  'en-drawer-side-main-runs-768-light': 'sheet',
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
  const chinese = await hasChinese()
  if (!chinese)
    say('The Chinese pictures are left out: this machine has no Chinese font. Install one (on Debian: fonts-noto-cjk).')
  try {
    await onRig(SHOTS, false, ENGLISH, BTW_SIZE, btwScene)
    await onRig(SHOTS, false, ENGLISH, SIDE_SIZE, sideScene)
    await onRig(SHOTS, true, ENGLISH, SIDE_SIZE, drawerScene)
    if (chinese) {
      await onRig(SHOTS, false, CHINESE, BTW_SIZE, btwScene)
      await onRig(SHOTS, false, CHINESE, SIDE_SIZE, sideScene)
    }
    if (!process.argv.includes('--scenes')) await takeStates(chinese ? ['en', 'zh'] : ['en'])
  } finally {
    await closeBrowser()
  }
  for (const [shot, image] of Object.entries(REFERENCE)) {
    await copyFile(join(SHOTS, `${shot}.png`), join(IMAGES, `${image}.png`)).catch(() =>
      say(`docs/images/${image}.png stays as it was.`),
    )
  }
}

async function takeStates(languages: readonly Language[]): Promise<void> {
  const since = Date.now()
  let count = 0
  for (const stock of [false, true]) {
    const rig = await startRig({ stock })
    try {
      for (const language of languages) count += await everyState(rig, language, stock, SHOTS)
    } finally {
      await rig.stop()
    }
  }
  say(`${count} pictures of every state in ${Math.round((Date.now() - since) / 60_000)} min.`)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

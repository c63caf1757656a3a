/** A headless browser on the host's page. Finds one, or uses the one that npm brings; one browser serves a whole test file. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'

import { connectRpc } from '../../dev/host/rpc.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** Where a page is to be looked at. */
export interface PageOptions {
  viewport?: { width: number; height: number }
  /** A BCP 47 tag; the page's language follows it. */
  locale?: string
  colorScheme?: 'light' | 'dark'
  /** The conversation to have in front; left out, the page picks one. */
  sessionId?: string
  /** A finger instead of a mouse. */
  hasTouch?: boolean
  isMobile?: boolean
}

/** A page with the host's notice out of the way. */
export interface OpenPage {
  page: Page
  /** Console errors and uncaught errors so far. */
  errors: string[]
  close(): Promise<void>
}

/**
 * The path of an installed browser: `SIDEMIND_BROWSER`, one on PATH, a usual place, else the package's own (Linux x64).
 * @throws when there is none, saying what to install.
 */
export async function findBrowser(): Promise<{ path: string; flags: string[] }> {
  const wanted = process.env['SIDEMIND_BROWSER']
  if (wanted) return { path: wanted, flags: FLAGS }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  const installed = [...onPath, ...PLACES].find((path) => existsSync(path))
  if (installed !== undefined) return { path: installed, flags: FLAGS }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { default: packaged } = await import('@sparticuz/chromium')
    return {
      path: await packaged.executablePath(),
      flags: [...packaged.args.filter((flag) => !flag.startsWith('--headless')), ...FLAGS],
    }
  }
  throw new Error('No browser was found: install Chromium or Chrome, or name one in SIDEMIND_BROWSER.')
}

let shared: Promise<Browser> | undefined

/** The file's browser, started at the first call; `more` flags count at that call only. */
export function openBrowser(...more: string[]): Promise<Browser> {
  shared ??= findBrowser().then(({ path, flags }) =>
    chromium.launch({ executablePath: path, args: [...flags, ...more], headless: true }),
  )
  return shared
}

/** Ends the file's browser; without one, nothing happens. The e2e setup calls it after every file. */
export async function closeBrowser(): Promise<void> {
  const browser = await shared
  shared = undefined
  await browser?.close()
}

/** Opens the host's page in a context of its own and waits until its composer can be used. */
export async function openPage(url: string, options: PageOptions = {}): Promise<OpenPage> {
  const { sessionId, ...context } = options
  const browser = await openBrowser()
  const tab = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...context })
  const page = await tab.newPage()
  const errors: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  page.on('pageerror', (error) => void errors.push(error.stack ?? error.message))
  if (sessionId !== undefined) {
    // How the page itself remembers which conversation was in front; a choice made later is kept on reload.
    await page.addInitScript((id) => {
      const key = 'dsh.sessions.current'
      if (sessionStorage.getItem('sidemind-test-opened')) return
      sessionStorage.setItem('sidemind-test-opened', '1')
      localStorage.setItem(key, JSON.stringify({ sessionId: id }))
    }, sessionId)
  }
  await acknowledgeNotice(new URL(url).origin)
  await page.goto(url)
  await page.getByRole('textbox').first().waitFor()
  return { page, errors, close: () => tab.close() }
}

/** The host's notice stands before the first empty conversation until its button stored this, once per home. */
const NOTICE = { ns: 'ui-onboarding', path: ['welcomeNoticeVersion'], value: '2026-08-13.1' }

async function acknowledgeNotice(origin: string): Promise<void> {
  const rpc = connectRpc(origin)
  const { namespaces } = await rpc<{ namespaces: { ns: string; value: Record<string, unknown>; revision: number }[] }>(
    'settings.describe',
  )
  const settings = namespaces.find(({ ns }) => ns === NOTICE.ns)
  if (settings === undefined || settings.value[NOTICE.path[0] ?? ''] === NOTICE.value) return
  const { ns, path, value } = NOTICE
  await rpc('settings.mutate', { ns, ops: [{ op: 'set', path, value }], expectedRevision: settings.revision })
}

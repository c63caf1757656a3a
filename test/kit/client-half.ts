/** Takes the plugin's client half out of a running page and puts it back, as a page does that loads a plugin anew. */
import type { Page } from 'playwright-core'

interface Held {
  readonly plugin: { apply(ctx: unknown): void }
  ctx: { readonly fiber: { readonly parent: { plugin(plugin: unknown): unknown }; dispose(): Promise<void> } }
}

declare global {
  interface Window {
    sidemindTestHalf?: Held
    __ModuleLoader__?: { load(module: { id: string; factory: (...given: unknown[]) => Held['plugin'] }): unknown }
  }
}

/** Run before the plugin's own bundle: keeps hold of what the page is about to load. */
function keepHold(): void {
  const loader = window.__ModuleLoader__
  if (loader === undefined) throw new Error('the page has no module loader')
  const load = loader.load
  loader.load = (module) => {
    loader.load = load
    return load.call(loader, {
      ...module,
      factory(...given) {
        const plugin = module.factory(...given)
        const apply = plugin.apply
        plugin.apply = (ctx) => {
          window.sidemindTestHalf = { plugin, ctx: ctx as Held['ctx'] }
          apply(ctx)
        }
        return plugin
      },
    })
  }
}

/** Reloads `page` in such a way that the client half can be switched afterwards. */
export async function reloadSwitchable(page: Page): Promise<void> {
  await page.route(/sidemind-for-dsh.*\bclient\b.*\.js/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `(${String(keepHold)})();\n${await response.text()}` })
  })
  await page.reload()
  await page.waitForFunction(() => window.sidemindTestHalf !== undefined)
}

export async function unloadClientHalf(page: Page): Promise<void> {
  await page.evaluate(() => window.sidemindTestHalf?.ctx.fiber.dispose())
}

export async function loadClientHalf(page: Page): Promise<void> {
  await page.evaluate(() => {
    const half = window.sidemindTestHalf
    half?.ctx.fiber.parent.plugin(half.plugin)
  })
}

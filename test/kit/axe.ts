/** axe inside our elements, contrast included, light and dark. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** How long the host's theme takes to follow the system. */
const THEME_MS = 250

/** One line per element and rule that axe objects to. `region` speaks of whole pages, which are the host's. */
export async function axeProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForTimeout(THEME_MS)
    const lines = await page.evaluate(async () => {
      const { axe: inPage } = window as unknown as { axe: typeof axe }
      const { violations } = await inPage.run(
        { include: ['[data-sidemind]'] },
        { rules: { region: { enabled: false } }, resultTypes: ['violations'] },
      )
      return violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
      )
    })
    found.push(...lines.map((line) => `${colorScheme}: ${line}`))
  }
  return found
}

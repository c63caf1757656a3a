/** What a person sees and does in the page: main's composer, the overlay, the sides. Selectors live here only. */
import type { Locator, Page } from 'playwright-core'

/** Main's own composer. */
export function composer(page: Page): Locator {
  return page.locator('[data-composer-card] textarea:not([data-sidemind] *)').first()
}

/** Types a line into main's composer, key by key as a person does, and sends it. A page that is still coming up may put
 *  another field in its place meanwhile; a person then types again. */
export async function type(page: Page, line: string): Promise<void> {
  for (let tries = 3; tries > 0; tries -= 1) {
    await composer(page).click()
    await composer(page).pressSequentially(line)
    if ((await composer(page).inputValue()) === line) break
    await composer(page).fill('')
  }
  await page.keyboard.press('Enter')
}

/** Puts a line into main's composer in one go, as a paste does, and sends it. */
export async function paste(page: Page, line: string): Promise<void> {
  await composer(page).click()
  await composer(page).fill(line)
  await page.keyboard.press('Enter')
}

/** The `/btw` overlay, by its question when given. */
export function overlay(page: Page, question?: string): Locator {
  const name = question === undefined ? /^btw/ : `btw: ${question}`
  return page.locator('[data-sidemind]').getByRole('region', { name }).and(page.locator('[tabindex="-1"]'))
}

/** A button of ours by its whole English name, or by a pattern. */
export function button(within: Locator, name: string | RegExp): Locator {
  return within.getByRole('button', { name, exact: true })
}

/** Records every text that an element showed, one entry per change, until `stop`. */
export async function recordText(page: Page, selector: string): Promise<{ stop(): Promise<string[]> }> {
  const key = `rec${Math.random().toString(36).slice(2)}`
  await page.evaluate(
    ([name, wanted]) => {
      const texts: string[] = []
      const look = (): void => {
        const text = document.querySelector(wanted)?.textContent ?? ''
        if (text !== texts.at(-1)) texts.push(text)
      }
      const observer = new MutationObserver(look)
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
      Object.assign(window, { [name]: { texts, observer } })
    },
    [key, selector] as const,
  )
  return {
    stop: () =>
      page.evaluate((name) => {
        const { texts, observer } = (
          window as unknown as Record<string, { texts: string[]; observer: MutationObserver }>
        )[name] as { texts: string[]; observer: MutationObserver }
        observer.disconnect()
        return texts
      }, key),
  }
}

/** The `/side` conversation on screen, by its title when given: a tab's body or a panel of the drawer. */
export function side(page: Page, title?: string): Locator {
  const name = title === undefined ? /^Side: / : `Side: ${title}`
  return page.locator('[data-sidemind]').getByRole('region', { name, exact: true }).first()
}

/** Asks in a side's own composer. */
export async function askIn(within: Locator, text: string): Promise<void> {
  const field = within.getByRole('textbox').last()
  await field.click()
  await field.fill(text)
  await field.press('Enter')
}

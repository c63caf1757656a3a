/** What a person would call broken at a glance, measured: text cut off, one thing over another, words in the wrong language. */
import type { Page } from 'playwright-core'

/** Visible texts of ours that something cuts off without saying so by an ellipsis or a way to scroll. */
export function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const SLACK = 1.5
    const found: string[] = []
    for (const root of document.querySelectorAll('[data-sidemind]')) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const text = node.textContent?.trim() ?? ''
        const parent = node.parentElement
        if (text === '' || parent === null || !parent.checkVisibility({ visibilityProperty: true })) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const box = range.getBoundingClientRect()
        if (box.width === 0 || box.height === 0) continue
        let mayLeave = parent.closest('pre, table') !== null
        for (let up: Element | null = parent; up !== null && up !== document.documentElement; up = up.parentElement) {
          const style = getComputedStyle(up)
          const around = up.getBoundingClientRect()
          // For screen readers only.
          const hidden = around.width <= 1 && around.height <= 1
          const marked = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
          if (hidden || marked || /auto|scroll/.test(style.overflowX)) {
            mayLeave = true
            break
          }
          if (style.overflowX === 'visible' && style.overflowY === 'visible') continue
          if (box.left < around.left - SLACK || box.right > around.right + SLACK) {
            found.push(`"${text.slice(0, 40)}" reaches out of ${up.className || up.tagName}`)
            break
          }
        }
        if (!mayLeave && box.right > innerWidth + SLACK) found.push(`"${text.slice(0, 40)}" reaches out of the window`)
      }
    }
    return found
  })
}

/** Where a card or a drawer of ours lies over main's composer. */
export function coveredComposer(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const composer = [...document.querySelectorAll('[data-composer-card]')].find(
      (one) => one.getClientRects().length > 0,
    )
    if (composer === undefined) return []
    const field = composer.getBoundingClientRect()
    return [...document.querySelectorAll('[data-sidemind] [role="region"], [data-sidemind] [role="complementary"]')]
      .filter(
        (one) => one.closest('[data-seams-rightbar]') === null && one.checkVisibility({ visibilityProperty: true }),
      )
      .map((one) => ({ name: one.getAttribute('aria-label') ?? '', box: one.getBoundingClientRect() }))
      .filter(
        ({ box }) =>
          Math.min(box.right, field.right) - Math.max(box.left, field.left) > 1 &&
          Math.min(box.bottom, field.bottom) - Math.max(box.top, field.top) > 1,
      )
      .map(({ name }) => `${name} lies over main's composer`)
  })
}

/** Buttons of ours, within reach of a pointer now, that overlap each other or are smaller than one needs.
 *  @param floating names of those that float over what scrolls. */
export function crowdedButtons(page: Page, least: number, floating: readonly string[]): Promise<string[]> {
  return page.evaluate(
    ({ size, above }) => {
      const buttons = [...document.querySelectorAll<HTMLElement>('[data-sidemind] button')]
        .map((one) => {
          let { left, top, right, bottom } = one.getBoundingClientRect()
          // Only what its scrollers show of it.
          for (let up = one.parentElement; up !== null; up = up.parentElement) {
            if (getComputedStyle(up).overflowY === 'visible') continue
            const around = up.getBoundingClientRect()
            left = Math.max(left, around.left)
            top = Math.max(top, around.top)
            right = Math.min(right, around.right)
            bottom = Math.min(bottom, around.bottom)
          }
          const whole = one.getBoundingClientRect()
          const tree = one.closest('[data-sidemind]')
          const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
          const name = one.getAttribute('aria-label') ?? one.textContent ?? ''
          // What opens above everything else may lie over it.
          const layer = one.closest('[popover], [role="toolbar"]')
          return { name, tree, layer, whole, left, top, right, bottom, reached: hit !== null && one.contains(hit) }
        })
        .filter(({ name, reached }) => reached && !above.includes(name))
      const small = buttons
        .filter(({ whole }) => whole.height < size - 0.5 && whole.width < size - 0.5)
        .map(({ name }) => `${name} is small`)
      const crowded = buttons.flatMap((one, at) =>
        buttons
          .slice(at + 1)
          .filter(
            (other) =>
              other.tree === one.tree &&
              other.layer === one.layer &&
              Math.min(other.right, one.right) - Math.max(other.left, one.left) > 1 &&
              Math.min(other.bottom, one.bottom) - Math.max(other.top, one.top) > 1,
          )
          .map((other) => `${one.name} and ${other.name} overlap`),
      )
      return [...small, ...crowded]
    },
    { size: least, above: floating },
  )
}

/** Everything of ours that is read or heard, outside code and what somebody typed. */
export function visibleWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    for (const root of document.querySelectorAll('[data-sidemind]')) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const parent = node.parentElement
        if (parent === null || parent.closest('code, pre, textarea') !== null) continue
        if (parent.checkVisibility()) found.push(node.textContent ?? '')
      }
      for (const element of root.querySelectorAll('[aria-label], [title], [placeholder]'))
        for (const name of ['aria-label', 'title', 'placeholder']) found.push(element.getAttribute(name) ?? '')
    }
    return found.map((text) => text.trim()).filter((text) => text !== '')
  })
}

/** What of main's transcript stays under a card or a sheet of ours, or under main's composer, however far it is scrolled: its last
 *  line, and the button that leads there. Scrolls main to its end and back. */
export function coveredTranscript(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const flow = [...document.querySelectorAll<HTMLElement>('[data-chat-flow]')].find((one) => one.checkVisibility())
    const scroller = flow?.closest('[data-conversation-scroll]')
    if (flow === undefined || scroller == null) return []
    const over = [
      ...document.querySelectorAll('[data-sidemind] [data-side][data-raised], [data-sidemind] [data-mode="sheet"]'),
    ].filter((one) => one.checkVisibility({ visibilityProperty: true }))
    if (over.length === 0) return []
    const frame = (): Promise<void> => new Promise((resolve) => void requestAnimationFrame(() => resolve()))
    const { scrollTop } = scroller
    scroller.scrollTop = scroller.scrollHeight
    await frame()
    const found: string[] = []
    const last = [...flow.children].findLast((one) => one.getBoundingClientRect().height > 0)
    const end = last?.getBoundingClientRect()
    const most = scroller.getBoundingClientRect()
    for (const one of over) {
      const box = one.getBoundingClientRect()
      const beside = end === undefined || box.left > end.right || box.right < end.left
      if (!beside && end.bottom > box.top + 1)
        found.push(`main ends ${Math.round(end.bottom - box.top)} px under ${one.getAttribute('aria-label') ?? ''}`)
    }
    if (scroller.scrollHeight > scroller.clientHeight + 100) {
      scroller.scrollTop = scroller.scrollHeight - scroller.clientHeight - 90
      for (let frames = 0; frames < 3; frames += 1) await frame()
      const back = [...(flow.parentElement?.querySelectorAll('button') ?? [])].find((one) => !flow.contains(one))
      const box = back?.getBoundingClientRect()
      if (box !== undefined && box.top > most.top) {
        const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        // What is open for a moment, and the host's own sidebar, may lie over it.
        const may = hit?.closest('[popover], [role="toolbar"], [data-seams-rightbar]') != null
        const ours = hit?.closest('[data-sidemind]') != null && !may
        if (ours) found.push(`${back?.getAttribute('aria-label') ?? ''} is covered`)
      }
    }
    scroller.scrollTop = scrollTop
    await frame()
    return found
  })
}

/** What may not move when an answer starts or ends, in whole pixels: how far the card is above main's composer, how far a side's
 *  composer is above its lower edge, how far below the card's upper edge its answer begins. */
export function fixedPoints(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => {
    const shown = (selector: string): DOMRect | undefined =>
      [...document.querySelectorAll(selector)]
        .find((one) => one.checkVisibility({ visibilityProperty: true }))
        ?.getBoundingClientRect()
    const at: Record<string, number> = {}
    const main = shown('[data-composer-card]')
    const card = shown('[data-sidemind] [data-side][data-raised]')
    const answer = shown('[data-sidemind] [data-side][data-raised] [data-answer]')
    const side = shown('[data-sidemind-side]')
    const field = shown('[data-sidemind-side] textarea')
    if (card !== undefined && main !== undefined) at['card above the composer'] = Math.round(main.top - card.bottom)
    if (card !== undefined && answer !== undefined) at['answer in the card'] = Math.round(answer.top - card.top)
    if (side !== undefined && field !== undefined) at['field in the side'] = Math.round(side.bottom - field.top)
    return at
  })
}

/** What of ours opens beside its button and reaches out of the window: menus, bars, sentences, the settings card. */
export function offScreen(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const SLACK = 1
    const places = '[popover], [role="toolbar"], [role="group"], [role="menu"], [role="dialog"], [role="region"], li'
    return [...document.querySelectorAll('[data-sidemind], [data-sidemind] *')]
      .filter((one) => one.matches(places) && one.checkVisibility({ visibilityProperty: true }))
      .map((one) => ({ name: one.getAttribute('aria-label') ?? one.className, box: one.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.left < -SLACK || box.right > innerWidth + SLACK))
      .map(({ name }) => `${name} reaches out of the window`)
  })
}

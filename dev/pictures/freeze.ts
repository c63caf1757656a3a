/** Holds still in a picture what differs from run to run: elapsed times and the time of day, in our elements. */
import type { Page } from 'playwright-core'

export function freeze(page: Page): Promise<void> {
  return page.evaluate(() => {
    for (const root of document.querySelectorAll('[data-sidemind]')) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const before = node.textContent ?? ''
        if (node.parentElement?.closest('textarea, pre, code') != null) continue
        const after = before
          .replace(/\b\d+(?:\.\d)?( s|\s?秒)/g, '2.1$1')
          .replace(/\b\d{1,2}:\d{2}(?: [AP]M)?\b/g, '09:41')
        if (after !== before) node.textContent = after
      }
    }
  })
}

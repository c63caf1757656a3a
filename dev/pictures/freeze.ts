/** Holds still in a picture what differs from run to run: elapsed times, speeds and the time of day. */
import type { Page } from 'playwright-core'

export function freeze(page: Page): Promise<void> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const before = node.textContent ?? ''
      // What was written, and sentences about a side's times, are the same in every run.
      if (node.parentElement?.closest('textarea, pre, code, script, style, li, [role="group"]') != null) continue
      const after = before
        .replace(/(?<![\w.])\d+(?:\.\d+)?(\s?s|\s?秒)(?![\w])/g, '2.1$1')
        .replace(/\b\d{1,2}:\d{2}(?: [AP]M)?\b/g, '09:41')
        .replace(/\b\d+( tok\/s)/g, '80$1')
      if (after !== before) node.textContent = after
    }
  })
}

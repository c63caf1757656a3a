/** What a page's main thread does, as the browser itself counts it: scripting, all tasks, and tasks of more than 50 ms. */
import type { Page } from 'playwright-core'

/** Milliseconds, but for `long`: how many tasks took more than 50 ms. */
export interface Spent {
  scripting: number
  tasks: number
  long: number
  /** The longest of them; 0 without one. */
  longest: number
}

export interface PageMeter {
  /** What the page spent since `from`, or since it was loaded. */
  since(from?: Spent): Promise<Spent>
}

declare global {
  interface Window {
    sidemindLongTasks?: number[]
  }
}

/** Counts from now on. */
export async function meterPage(page: Page): Promise<PageMeter> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  await page.evaluate(() => {
    const long: number[] = []
    window.sidemindLongTasks = long
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) long.push(duration)
    }).observe({ type: 'longtask' })
  })
  return {
    async since(from) {
      const { metrics } = await cdp.send('Performance.getMetrics')
      const read = (name: string): number => (metrics.find((one) => one.name === name)?.value ?? NaN) * 1_000
      const durations = await page.evaluate(() => window.sidemindLongTasks ?? [])
      const news = durations.slice(from?.long ?? 0)
      return {
        scripting: read('ScriptDuration') - (from?.scripting ?? 0),
        tasks: read('TaskDuration') - (from?.tasks ?? 0),
        long: news.length,
        longest: Math.max(0, ...news),
      }
    },
  }
}

/** What drawing a growing answer costs the page: our view against one that reads and draws all of it again for every frame, in one
 *  browser, from the same source, with the same parts. Scripting alone. */
import { join } from 'node:path'
import commonjs from '@rollup/plugin-commonjs'
import { nodeResolve } from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
import esbuild from 'rollup-plugin-esbuild'

import { css } from '../dev/build/css.ts'
import { production } from '../dev/build/production.ts'
import { closeBrowser, openBrowser } from '../test/kit/browser.ts'
import { answerText } from './answer-text.ts'
import { median, type Figure } from './figure.ts'
import { meterPage } from './page-meter.ts'
import type { Plan } from './plan.ts'

/** What a frame adds: eight deltas of forty characters, 500 of them a second. */
const FRAME = /[^]{1,320}/g

/** Drawing everything again takes minutes for a long answer: so many frames, spread over it, stand for all. */
const NAIVE_FRAMES = 12

declare global {
  interface Window {
    sidemindDraw(which: 'ours' | 'naive', steps: readonly string[], every: number): Promise<number>
  }
}

export async function drawing(plan: Plan): Promise<Figure[]> {
  const content = await pageScript()
  const page = await (await openBrowser()).newPage()
  try {
    await page.setContent('<!doctype html><div id="root" data-sidemind></div>')
    await page.addScriptTag({ content })
    const meter = await meterPage(page)
    const draw = async (which: 'ours' | 'naive', kB: number): Promise<number> => {
      const steps = answerText(kB * 1_000).match(FRAME) ?? []
      const every = which === 'ours' ? 1 : Math.max(1, Math.floor(steps.length / NAIVE_FRAMES))
      const from = await meter.since()
      const drawn = await page.evaluate(([name, all, nth]) => window.sidemindDraw(name, all, nth), [
        which,
        steps,
        every,
      ] as const)
      return ((await meter.since(from)).scripting * steps.length) / drawn
    }
    for (const which of ['ours', 'naive'] as const) await draw(which, 5)
    const taken: Record<'ours' | 'naive', number[]> = { ours: [], naive: [] }
    for (let round = 0; round < plan.windows; round += 1)
      for (const which of ['ours', 'naive'] as const) taken[which].push(await draw(which, plan.longAnswer))
    return [
      {
        what: 'drawing a growing answer, its scripts',
        at: `an answer of ${plan.longAnswer} kB at 500 deltas a second`,
        unit: 'ms',
        ours: median(taken.ours),
        baseline: { name: 'all of it again for every frame', value: median(taken.naive) },
        samples: plan.windows,
      },
    ]
  } finally {
    await page.close()
    await closeBrowser()
  }
}

async function pageScript(): Promise<string> {
  const bundle = await rollup({
    input: join(import.meta.dirname, 'drawing-page.tsx'),
    onLog: () => undefined,
    plugins: [
      production(),
      css(),
      nodeResolve({ browser: true, extensions: ['.ts', '.tsx', '.js', '.json'] }),
      commonjs(),
      esbuild({ target: 'es2022', tsconfig: false, jsx: 'automatic' }),
    ],
  })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  return output[0].code
}

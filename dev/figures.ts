/** The figures that tests leave for a person to read: where they lie, what one is, and how they are drawn. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { ROOT } from './run-tool.ts'

const FOLDER = join(ROOT, '.cache/figures')

/** One figure of one run. */
export interface Measured {
  what: string
  measured: string
  /** What it is to be held against, or how it came about. */
  beside?: string
}

/** The file that one source of figures leaves. */
export function figuresFile(name: string): string {
  return join(FOLDER, `${name}.json`)
}

/** Keeps what was measured, in place of what its last run left. Called by the very test that guards it. */
export function recordFigures(name: string, figures: readonly Measured[]): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(figuresFile(name), `${JSON.stringify(figures, null, 2)}\n`)
}

/** Figures as text, one line each. */
export function drawn(figures: readonly Measured[]): string {
  const width = (column: 'what' | 'measured'): number => Math.max(...figures.map((one) => one[column].length))
  const [what, measured] = [width('what'), width('measured')]
  return figures
    .map((one) => `${one.what.padEnd(what)}  ${one.measured.padEnd(measured)}  ${one.beside ?? ''}`.trimEnd())
    .join('\n')
}

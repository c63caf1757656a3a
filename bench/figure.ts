/** One measured number beside the number it is to be held against, and how both are shown. */

/** What was measured, against a baseline of the same run (D20). */
export interface Figure {
  what: string
  /** The circumstances, such as the length of the parent. */
  at: string
  unit: 'ms' | 'bytes' | 'tokens' | '%' | 'times'
  /** A median over `samples`, or an average where bytes are counted. */
  ours: number
  baseline: { name: string; value: number }
  samples: number
  /** Other numbers of the same circumstances, to read the figure by. */
  beside?: Record<string, number>
}

/** Ours as a multiple of the baseline; below 1 is less than it. As often as never is as often. */
export function ratioOf({ ours, baseline }: Figure): number {
  return ours === baseline.value ? 1 : ours / baseline.value
}

/** @throws when there is nothing to take it of. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  if (low === undefined || high === undefined) throw new Error('no samples')
  return (low + high) / 2
}

/** All figures as text, one line each. */
export function table(figures: readonly Figure[]): string {
  const rows = [['figure', 'at', 'ours', 'baseline', '', 'ratio', 'beside'], ...figures.map(cells)]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const right = new Set([2, 3, 5])
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          right.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function cells(figure: Figure): string[] {
  const { what, at, unit, ours, baseline, beside = {} } = figure
  return [
    what,
    at,
    quantity(ours, unit),
    quantity(baseline.value, unit),
    baseline.name,
    ratioOf(figure).toFixed(2),
    Object.entries(beside)
      .map(([name, value]) => `${name} ${quantity(value, unit)}`)
      .join(', '),
  ]
}

function quantity(value: number, unit: Figure['unit']): string {
  switch (unit) {
    case 'ms':
      return `${value.toFixed(1)} ms`
    case '%':
      return `${value.toFixed(1)} %`
    case 'bytes':
      return `${Math.round(value).toLocaleString('en')} B`
    case 'times':
    case 'tokens':
      return Math.round(value).toLocaleString('en')
  }
}

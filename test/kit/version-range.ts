/** Whether a version is in a range, with prereleases counted in: what the host's check of peer dependencies asks.
 *  Knows comparators joined by spaces (`>=0.1.0-rc.8 <1.0.0`), which is all that our manifests use. */

interface Version {
  numbers: number[]
  /** Empty for a release. */
  pre: string[]
}

/** @throws when the range or the version is of another shape. */
export function inRange(version: string, range: string): boolean {
  return range.split(' ').every((comparator) => {
    const [, operator, bound] = /^(>=|<=|>|<|=?)(\d.*)$/.exec(comparator) ?? []
    if (bound === undefined) throw new Error(`not a comparator: ${comparator}`)
    const order = compare(parse(version), parse(bound))
    switch (operator) {
      case '>=':
        return order >= 0
      case '<=':
        return order <= 0
      case '>':
        return order > 0
      case '<':
        return order < 0
      default:
        return order === 0
    }
  })
}

function parse(text: string): Version {
  const [, numbers, pre] = /^(\d+\.\d+\.\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(text) ?? []
  if (numbers === undefined) throw new Error(`not a version: ${text}`)
  return { numbers: numbers.split('.').map(Number), pre: pre?.split('.') ?? [] }
}

/** Semantic Versioning 2.0.0, section 11. */
function compare(left: Version, right: Version): number {
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length
  for (const [index, part] of left.pre.entries()) {
    const other = right.pre[index]
    if (other === undefined) return 1
    if (part === other) continue
    const [a, b] = [/^\d+$/.test(part), /^\d+$/.test(other)]
    if (a && b) return Number(part) - Number(other)
    if (a !== b) return a ? -1 : 1
    return part < other ? -1 : 1
  }
  return left.pre.length - right.pre.length
}

/** Small arithmetic in a question, such as "what is 2+2". Pure. */

const WORDS: [RegExp, string][] = [
  [/\bplus\b|加上|加/gi, '+'],
  [/\bminus\b|减去|减/gi, '-'],
  [/\btimes\b|\bmultiplied by\b|×|乘以|乘/gi, '*'],
  [/\bdivided by\b|÷|除以/gi, '/'],
]
const ASKS = /\bwhat\b|\bhow much\b|\bcalculate\b|\bcompute\b|\bsum\b|多少|等于|计算|几|=|\?|^[\s\d.+\-*/^%()]+$/i
const MAX_SUM = 200

/** The first sum in a text and its result. Undefined when there is none, or when nobody asks for it. */
export function findSum(text: string): { sum: string; result: number } | undefined {
  if (!ASKS.test(text)) return undefined
  const plain = WORDS.reduce((so, [word, sign]) => so.replace(word, sign), text)
  for (const [candidate] of plain.matchAll(/[-(]?[\d(][\d\s.+\-*/^%()]*[\d)]/g)) {
    if (candidate.length > MAX_SUM || !/[\d)]\s*[-+*/^%]/.test(candidate) || /\d{4}-\d\d-\d\d/.test(candidate)) continue
    const result = evaluate(candidate)
    if (result !== undefined) return { sum: candidate.trim(), result: Number(result.toPrecision(12)) }
  }
  return undefined
}

/** Usual precedence, `^` binds to the right. Undefined when it is not a sum or has no finite result. */
function evaluate(sum: string): number | undefined {
  const tokens = sum.match(/\d+(?:\.\d+)?|[-+*/^%()]|\S/g) ?? []
  let at = 0
  const accept = (...signs: string[]): string | undefined =>
    signs.includes(tokens[at] ?? '') ? tokens[at++] : undefined

  const atom = (): number => {
    if (accept('-') !== undefined) return -power()
    if (accept('(') !== undefined) {
      const inner = chain()
      return accept(')') === undefined ? NaN : inner
    }
    const token = tokens[at++] ?? ''
    return /^\d/.test(token) ? Number(token) : NaN
  }
  const power = (): number => {
    const base = atom()
    return accept('^') === undefined ? base : base ** power()
  }
  const product = (): number => {
    let value = power()
    for (let sign = accept('*', '/', '%'); sign !== undefined; sign = accept('*', '/', '%')) {
      const right = power()
      value = sign === '*' ? value * right : sign === '/' ? value / right : value % right
    }
    return value
  }
  const chain = (): number => {
    let value = product()
    for (let sign = accept('+', '-'); sign !== undefined; sign = accept('+', '-'))
      value += sign === '+' ? product() : -product()
    return value
  }

  const value = chain()
  return at === tokens.length && Number.isFinite(value) ? value : undefined
}

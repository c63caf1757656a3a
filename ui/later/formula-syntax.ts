/** Formulas between dollars, `\(…\)` and `\[…\]`, as micromark syntax. A dollar is money far more often than mathematics:
 *  a single one opens only before a character and closes only behind one, never beside a letter or a digit outside, and
 *  an amount with words behind it ("5 and A") is no formula. */

import type { Extension as FromMarkdown, Token } from 'mdast-util-from-markdown'
import { asciiAlphanumeric, markdownLineEnding, markdownSpace } from 'micromark-util-character'
import type { Code, Construct, Effects, Extension, State, TokenizeContext } from 'micromark-util-types'

declare module 'micromark-util-types' {
  interface TokenTypeMap {
    formula: 'formula'
    formulaMark: 'formulaMark'
    formulaText: 'formulaText'
  }
}

/** Longer is no formula: it would only be looked through again and again. */
const MOST = 4_000

const DOLLAR = 36
const BACKSLASH = 92
/** `(` and `[` behind a backslash, and what closes them. */
const CLOSES = new Map<Code, number>([
  [40, 41],
  [91, 93],
])
/** `\ ^ _ = { } < >`: what an amount of money has not. */
const OPERATORS = new Set<Code>([BACKSLASH, 94, 95, 61, 123, 125, 60, 62])

const beside = (code: Code): boolean => code !== null && (asciiAlphanumeric(code) || code === DOLLAR)

function tokenizeDollar(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  let marks = 0
  let length = 0
  let space = false
  let blank = false
  let operator = false
  let digit = false
  let closing = 0

  return (code) => {
    effects.enter('formula')
    effects.enter('formulaMark')
    return open(code)
  }

  function open(code: Code): State | undefined {
    if (code === DOLLAR && marks < 2) {
      effects.consume(code)
      marks += 1
      return open
    }
    if (code === DOLLAR || code === null) return nok(code)
    if (marks === 1 && (markdownSpace(code) || markdownLineEnding(code))) return nok(code)
    digit = code >= 48 && code <= 57
    effects.exit('formulaMark')
    return between(code)
  }

  function between(code: Code): State | undefined {
    if (code === null || length > MOST) return nok(code)
    if (markdownLineEnding(code)) {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      space = blank = true
      return between
    }
    if (code === DOLLAR && length > 0 && !(marks === 1 && blank)) {
      effects.enter('formulaMark')
      closing = 0
      return close(code)
    }
    effects.enter('formulaText')
    return text(code)
  }

  function text(code: Code): State | undefined {
    if (code === null || markdownLineEnding(code) || length > MOST) {
      effects.exit('formulaText')
      return between(code)
    }
    if (code === DOLLAR && length > 0 && !(marks === 1 && blank)) {
      effects.exit('formulaText')
      return between(code)
    }
    effects.consume(code)
    length += 1
    blank = markdownSpace(code)
    if (blank) space = true
    if (OPERATORS.has(code)) operator = true
    return code === BACKSLASH ? escaped : text
  }

  function escaped(code: Code): State | undefined {
    if (code === null || markdownLineEnding(code)) return text(code)
    effects.consume(code)
    length += 1
    blank = false
    return text
  }

  function close(code: Code): State | undefined {
    if (closing < marks) {
      if (code !== DOLLAR) return nok(code)
      effects.consume(code)
      closing += 1
      return close
    }
    if (beside(code) || (marks === 1 && digit && space && !operator)) return nok(code)
    effects.exit('formulaMark')
    effects.exit('formula')
    return ok(code)
  }
}

function tokenizeBackslash(this: TokenizeContext, effects: Effects, ok: State, nok: State): State {
  let closer = 0
  let length = 0

  return (code) => {
    effects.enter('formula')
    effects.enter('formulaMark')
    effects.consume(code)
    return open
  }

  function open(code: Code): State | undefined {
    closer = CLOSES.get(code) ?? 0
    if (closer === 0) return nok(code)
    effects.consume(code)
    effects.exit('formulaMark')
    return between
  }

  function between(code: Code): State | undefined {
    if (code === null || length > MOST) return nok(code)
    if (markdownLineEnding(code)) {
      effects.enter('lineEnding')
      effects.consume(code)
      effects.exit('lineEnding')
      return between
    }
    if (code === BACKSLASH) return effects.check({ tokenize: closes, partial: true }, end, begin)(code)
    return begin(code)
  }

  function begin(code: Code): State | undefined {
    effects.enter('formulaText')
    return code === BACKSLASH ? backslash(code) : text(code)
  }

  function text(code: Code): State | undefined {
    if (code === null || code === BACKSLASH || markdownLineEnding(code) || length > MOST) {
      effects.exit('formulaText')
      return between(code)
    }
    effects.consume(code)
    length += 1
    return text
  }

  function backslash(code: Code): State | undefined {
    effects.consume(code)
    length += 1
    return escaped
  }

  function escaped(code: Code): State | undefined {
    if (code === null || markdownLineEnding(code)) return text(code)
    effects.consume(code)
    length += 1
    return text
  }

  function closes(check: Effects, yes: State, no: State): State {
    return (code) => {
      check.enter('formulaMark')
      check.consume(code)
      return (next) => {
        if (next !== closer) return no(next)
        check.consume(next)
        check.exit('formulaMark')
        return yes
      }
    }
  }

  function end(code: Code): State | undefined {
    if (length === 0) return nok(code)
    effects.enter('formulaMark')
    effects.consume(code)
    return last
  }

  function last(code: Code): State {
    effects.consume(code)
    effects.exit('formulaMark')
    effects.exit('formula')
    return ok
  }
}

/** Tried before the host language's own meaning of these characters. */
export const formulaSyntax: Extension = {
  text: {
    [DOLLAR]: {
      name: 'formula',
      tokenize: tokenizeDollar,
      previous: (code: Code): boolean => !beside(code),
    } satisfies Construct,
    [BACKSLASH]: { name: 'formula', tokenize: tokenizeBackslash } satisfies Construct,
  },
}

/** Their nodes: the source between the marks. */
export const formulaNodes: FromMarkdown = {
  enter: {
    formula(token) {
      const display = /^(?:\$\$|\\\[)/.test(this.sliceSerialize(token).slice(0, 2))
      this.enter({ type: 'formula', value: '', display }, token)
      this.buffer()
    },
  },
  exit: {
    formulaText(token: Token) {
      this.config.enter['data']?.call(this, token)
      this.config.exit['data']?.call(this, token)
    },
    formula(token) {
      const value = this.resume()
      const node = this.stack.at(-1)
      if (node?.type === 'formula') node.value = value
      this.exit(token)
    },
  },
}

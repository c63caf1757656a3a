/** What the two sides of the lazy half agree on: who draws what of an answer. */

import type { Literal } from 'mdast'
import type { ComponentType, ReactNode } from 'react'

/** A formula in TeX. */
export interface FormulaNode extends Literal {
  readonly type: 'formula'
  readonly display: boolean
}

declare module 'mdast' {
  interface RootContentMap {
    formula: FormulaNode
  }
  interface PhrasingContentMap {
    formula: FormulaNode
  }
}

/** What is more than words in an answer, drawn by the half that is always there. */
export interface MarkdownParts {
  readonly CodeBlock: ComponentType<{ readonly language: string; readonly text: string }>
  readonly Formula: ComponentType<{ readonly tex: string; readonly display: boolean }>
  readonly RemoteImage: ComponentType<{ readonly url: string; readonly alt: string }>
  readonly Table: ComponentType<{ readonly children: ReactNode }>
  readonly Task: ComponentType<{ readonly done: boolean }>
}

/** `definitions` are link targets that stand elsewhere in the text. Throws RangeError for what is nested too deeply. */
export type DrawMarkdown = (text: string, definitions: string, parts: MarkdownParts) => ReactNode

/** Those of `definitions` that `block` may refer to, one a line. */
export type TargetsFor = (block: string, definitions: readonly string[]) => string

/** The source of a block that is one displayed formula; null for any other. */
export type FormulaOf = (block: string) => string | null

/** Puts the selection inside `root` into `data`, as `block` gives the source of each of its blocks. @returns false where the
 *  browser should copy as it always does. */
export type CopySelection = (root: HTMLElement, block: (at: number) => string, data: DataTransfer) => boolean

/** A run of code of one meaning; '' is everything without one. */
export interface CodeRun {
  readonly kind: CodeKind
  readonly text: string
}
export type CodeKind =
  | ''
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'type'
  | 'attribute'
  | 'added'
  | 'removed'

/** The runs of `code`, which joined are `code`; null for a language that is not known. */
export type HighlightCode = (code: string, language: string) => readonly CodeRun[] | null

/** Null for what is no formula. */
export type DrawFormula = (tex: string, display: boolean) => ReactNode

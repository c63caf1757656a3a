/** Main's composer, as far as sides touch it: claiming typed `/btw` and `/side` lines (D2), giving the keyboard back,
 *  and appending to main's draft (bring back). Never sends anything to main. */

import { isSideErrorCode, SideError, type ParentRef, type SideErrorCode, type SideKind } from '../../src/wire/index.ts'
import { AskCanceled, type SideRuntime } from '../data/runtime.ts'
import type { Names } from './command-names.ts'
import type { LineClaim, LinePick, LineSource } from './seams.ts'
import { member } from './seams.ts'

export interface ComposerOptions {
  readonly runtime: SideRuntime
  readonly names: Pick<Names, 'known' | 'kindOf'>
  /** A sentence for the composer's own notice. */
  readonly sentence: (code: SideErrorCode | 'images' | 'chips' | 'stopped') => string
  readonly hint: (kind: SideKind) => string
  /** Shows the surface of a side after it was asked for. */
  readonly reveal: (kind: SideKind, sideId: string) => void
  /** The text behind a claimed line, its chips unfolded; throws or rejects when one of them cannot be. */
  readonly unfold: (sessionId: string, args: string) => string | Promise<string>
  /** Takes the typed token out of the draft; false where the host does not let us. */
  readonly consume: (sessionId: string, span: NonNullable<LinePick['span']>) => boolean
}

const COMMAND = /^\/([\w-]+)(?=\s|$)/

/** Our entry among the host's input trigger sources. */
export function lineSource(options: ComposerOptions): LineSource {
  function openEmpty(kind: SideKind, sessionId: string): void {
    options.reveal(kind, options.runtime.openDraft({ workspaceId: '', sessionId }, kind))
  }

  function claim(kind: SideKind, sessionId: string): { readonly claim: LineClaim } {
    const parent: ParentRef = { workspaceId: '', sessionId }
    return {
      claim: {
        token: `/${options.names.known()[kind]} `,
        hint: options.hint(kind),
        async submit(args) {
          if (args.trim() === '') {
            openEmpty(kind, sessionId)
            return { kind: 'success' }
          }
          let question: string
          try {
            const unfolded = options.unfold(sessionId, args)
            question = typeof unfolded === 'string' ? unfolded : await unfolded
          } catch {
            return { kind: 'error', text: options.sentence('chips') }
          }
          const asked = options.runtime.ask(parent, kind, question)
          options.reveal(kind, asked.sideId)
          try {
            await asked.accepted
            return { kind: 'success' }
          } catch (error) {
            // The person stopped or closed it first: the text stays.
            if (error instanceof AskCanceled) return { kind: 'error', text: options.sentence('stopped') }
            const code = error instanceof SideError && isSideErrorCode(error.code) ? error.code : 'provider_error'
            return { kind: 'error', text: options.sentence(code) }
          }
        },
      },
    }
  }

  return {
    trigger: '/',
    name: 'sidemind',
    order: -10,
    candidates: async () => [],
    onPick({ candidate, session, span }) {
      const { name } = candidate
      const kind = options.names.kindOf(name)
      if (kind === undefined) return undefined
      // The whole name was typed and Enter pressed: nothing is left to complete, so the empty side opens.
      const whole = span !== undefined && span.end - span.start === name.length + 1
      if (whole && options.consume(session.sessionId, span)) {
        openEmpty(kind, session.sessionId)
        return 'handled'
      }
      return claim(kind, session.sessionId)
    },
    matchSpace(session, token) {
      const kind = options.names.kindOf(token.slice(1))
      return kind === undefined ? undefined : claim(kind, session.sessionId)
    },
    async matchEnter(session, line, _signal, envelope) {
      const kind = kindOfLine(line, options.names)
      if (kind === undefined) return undefined
      if ((envelope?.images ?? envelope?.attachments ?? 0) > 0) throw new Error(options.sentence('images'))
      return claim(kind, session.sessionId)
    },
  }
}

/** Which side a line typed into main's composer would open, or undefined. */
export function kindOfLine(line: string, names: Pick<Names, 'kindOf'>): SideKind | undefined {
  const name = COMMAND.exec(line)?.[1]
  return name === undefined ? undefined : names.kindOf(name)
}

/** The place of main's composer, which a pending question or approval takes over; or null. */
export function composerSeat(page: Document = document): HTMLElement | null {
  return (
    [...page.querySelectorAll<HTMLElement>('[data-composer-seat]')].find((seat) => seat.getClientRects().length > 0) ??
    null
  )
}

/** Main's composer on screen as the host marks it, or null. */
export function composerCard(page: Document = document): HTMLElement | null {
  return (
    [...page.querySelectorAll<HTMLElement>('[data-composer-card]')].find((card) => card.getClientRects().length > 0) ??
    null
  )
}

/** The text field of main's composer on screen, or null. */
export function composerField(page: Document = document): HTMLElement | null {
  // The card stands inside the host's composer, and may have a field of its own.
  const fields = composerCard(page)?.querySelectorAll<HTMLElement>('textarea, [contenteditable="true"]') ?? []
  return [...fields].find((field) => field.closest('[data-sidemind]') === null) ?? null
}

/** Puts the caret behind everything in main's composer, once what was just put there is drawn. */
export function focusComposerEnd(page: Document = document): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field = composerField(page)
      field?.focus()
      if (field instanceof HTMLTextAreaElement) {
        field.setSelectionRange(field.value.length, field.value.length)
        field.scrollTop = field.scrollHeight
      } else if (field !== null) {
        page.getSelection()?.selectAllChildren(field)
        page.getSelection()?.collapseToEnd()
      }
    }),
  )
}

/** What main's composer holds now. */
export function composerText(page: Document = document): string {
  const field = composerField(page)
  if (field === null) return ''
  return field instanceof HTMLTextAreaElement ? field.value : (field.textContent ?? '')
}

/** Appends `markdown` to main's draft of this conversation, on its own paragraph. @returns whether the host let us. */
export function appendToDraft(conversation: unknown, sessionContext: unknown, markdown: string): boolean {
  const input = member(conversation, 'input')
  const find = member(input, 'for')
  if (typeof find !== 'function') return false
  const face: unknown = Reflect.apply(find, input, [sessionContext])
  const setDraft = member(face, 'setDraft')
  if (typeof setDraft !== 'function') return false
  const snapshot = member(member(face, 'state'), 'getSnapshot')
  const state: unknown = typeof snapshot === 'function' ? Reflect.apply(snapshot, member(face, 'state'), []) : undefined
  const draft = member(state, 'draft')
  const before = typeof draft === 'string' ? draft : ''
  Reflect.apply(setDraft, face, [before === '' ? markdown : `${before.replace(/\n*$/, '')}\n\n${markdown}`])
  return true
}

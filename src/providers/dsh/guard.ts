/** Which tools may run in a side, enforced at execution (I3). A tool that is not on the list is refused, whether it is
 *  listed in the request or not, known or not, called by the model or from inside another tool. */

import type { SideKind } from '../../core/contract.ts'
import { QUESTION_TOOL } from './questions.ts'
import { REFUSAL_MARK } from './translate.ts'

/** Read-only tools of DSH by name; reading other sessions is not among them (D18). */
export const READ_ONLY_TOOLS: readonly string[] = [
  'read',
  'read_image',
  'grep',
  'glob',
  'web_search',
  'web_fetch',
  'lsp',
  'list_mcp_resources',
  'read_mcp_resource',
]

/** Whatever a configuration lists, these do not run in a side: they ask through the host's own panel, where nobody would
 *  see it, and change how a conversation goes on. */
const NEVER_TOOLS: ReadonlySet<string> = new Set(['exit_plan_mode'])

/** Names that may run in a side of this kind, of those that the parent sees. `/btw` allows none. */
export function allowedTools(
  kind: SideKind,
  allowList: readonly string[],
  parentTools: readonly string[],
): readonly string[] {
  if (kind === 'btw') return []
  const allowed = new Set(allowList)
  return parentTools.filter((name) => allowed.has(name) && !NEVER_TOOLS.has(name))
}

/** The guard itself: undefined lets a call pass, a string is the refusal that the model reads. */
export function refuseUnlisted(
  kind: SideKind,
  allowed: readonly string[],
): (call: { readonly name: string; readonly parent?: unknown }) => string | undefined {
  const names = new Set(allowed)
  const rest =
    kind === 'btw'
      ? 'no tool runs here. Answer in words from what you already know.'
      : names.size === 0
        ? 'no tool runs here. Answer in words.'
        : `only these tools run here: ${[...names].join(', ')}. Do not try again; answer with what you have.`
  return (call) => {
    if (!names.has(call.name)) return `${REFUSAL_MARK}: ${rest}`
    // Nobody could be shown what a program inside a tool asks.
    if (call.name === QUESTION_TOOL && call.parent !== undefined) return `${REFUSAL_MARK}: ask directly, not from code.`
    return undefined
  }
}

/** Which tools may run in a side, enforced at execution (I3). A tool that is not on the list is refused, whether it is
 *  listed in the request or not, known or not, called by the model or from inside another tool. */

import type { SideKind } from '../../core/contract.ts'
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

/** Names that may run in a side of this kind, of those that the parent sees. `/btw` allows none. */
export function allowedTools(
  kind: SideKind,
  allowList: readonly string[],
  parentTools: readonly string[],
): readonly string[] {
  if (kind === 'btw') return []
  const allowed = new Set(allowList)
  return parentTools.filter((name) => allowed.has(name))
}

/** The guard itself: undefined lets a call pass, a string is the refusal that the model reads. */
export function refuseUnlisted(
  kind: SideKind,
  allowed: readonly string[],
): (call: { readonly name: string }) => string | undefined {
  const names = new Set(allowed)
  const rest =
    kind === 'btw'
      ? 'no tool runs here. Answer in words from what you already know.'
      : names.size === 0
        ? 'no tool runs here. Answer in words.'
        : `only these tools run here: ${[...names].join(', ')}. Do not try again; answer with what you have.`
  return (call) => (names.has(call.name) ? undefined : `${REFUSAL_MARK}: ${rest}`)
}

/** The names under which sides and sources are locked and looked up. An id is only unique within its workspace. */

import type { SideIdentity } from './contract.ts'

export function sideKey(side: Pick<SideIdentity, 'workspaceId' | 'sideSessionId'>): string {
  return `side\u0000${side.workspaceId}\u0000${side.sideSessionId}`
}

export function sourceKey(source: { readonly workspaceId: string; readonly sourceSessionId: string }): string {
  return `source\u0000${source.workspaceId}\u0000${source.sourceSessionId}`
}

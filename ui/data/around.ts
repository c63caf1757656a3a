/** How a side stands, where that says more about a running turn than the turn itself. */

import type { SideSnapshot } from './snapshot.ts'

export function aroundOf(side: SideSnapshot): 'opening' | 'stopping' | 'offline' | null {
  if (side.status.phase === 'opening') return 'opening'
  if (side.connection === 'disconnected') return 'offline'
  return side.status.phase === 'running' && side.status.stopping ? 'stopping' : null
}

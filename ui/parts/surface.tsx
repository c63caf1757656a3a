/** What every part needs from the layer that mounts it: words and icons. That layer also puts `data-sidemind` on an
 *  element around each tree, which is where tokens.css applies. */

import '../tokens.css'
import { createContext, useContext } from 'react'
import type { ComponentType } from 'react'
import type { IconName } from './Icon.tsx'
import type { Translate } from '../locales.ts'

export interface SurfaceValue {
  /** Bound to the host's live language; another function after a switch. */
  readonly t: Translate
  /** The letter that copies an answer in the card, '' = none; default C. */
  readonly copyKey?: string
  /** The host's own icons, where it has them. */
  readonly icons?: Partial<Record<IconName, ComponentType<{ readonly size?: number }>>>
  /** Told of what stands over the end of main's transcript, which then scrolls further. Returns the undo. */
  readonly overMain?: (element: HTMLElement) => () => void
}

const SurfaceContext = createContext<SurfaceValue | null>(null)

/** Put around every tree that the plugin mounts. */
export const SurfaceProvider = SurfaceContext.Provider

export function useSurface(): SurfaceValue {
  const value = useContext(SurfaceContext)
  if (value === null) throw new Error('mounted without SurfaceProvider')
  return value
}

/** The translator of this tree. */
export function useT(): Translate {
  return useSurface().t
}

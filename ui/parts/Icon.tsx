/** Icons: the host's where the mounting layer supplies them, else plain inline SVG. Decorative: hidden from
 *  assistive technology; the button around one carries the name. */

import type { JSX } from 'react'
import { useSurface } from './surface.tsx'

const PATHS = {
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 6V3.5h6.5V10H10M3.5 6H10v6.5H3.5z',
  check: 'M3.5 8.5l3 3 6-7',
  stop: 'M4.5 4.5h7v7h-7z',
  retry: 'M12.5 8a4.5 4.5 0 1 1-1.3-3.2M12.5 2.8v2.7H9.8',
  left: 'M9.5 4l-4 4 4 4',
  right: 'M6.5 4l4 4-4 4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  chevron: 'M4.5 6.5L8 10l3.5-3.5',
  down: 'M8 3.5v9M4.5 9L8 12.5 11.5 9',
  more: 'M4 6.2l4 4 4-4',
  less: 'M4 9.8l4-4 4 4',
  aside: 'M3 3.5h10v7H8l-3 2.5v-2.5H3zM6 7h4',
  plus: 'M8 3.5v9M3.5 8h9',
  edit: 'M3.5 12.5l.5-2.5 6.5-6.5 2 2L6 12z',
  info: 'M8 7.5v3.5M8 5v.2M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11z',
  send: 'M8 12.5v-9M4.5 7L8 3.5 11.5 7',
  hide: 'M3.5 3.5h9v9h-9zM9.5 3.5v9',
  image: 'M3 3.5h10v9H3zM3.5 11l3-3 2.5 2.5 1.5-1.5 2 2M10 6.2v.1',
  draft: 'M10 9.5L6.5 6 10 2.5M6.5 6H10a3 3 0 0 1 0 6H5',
  bubble: 'M3 3.5h10v7H7.8L5 13v-2.5H3z',
  tool: 'M3.5 4.5h9M3.5 8h6M3.5 11.5h4',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  const Native = useSurface().icons?.[name]
  if (Native !== undefined) return <Native size={size} />
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} fill={name === 'stop' ? 'currentColor' : 'none'} />
    </svg>
  )
}

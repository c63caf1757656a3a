/** A quiet round button with an icon, named for everybody by `label`. */

import { forwardRef } from 'react'
import type { ButtonHTMLAttributes } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './Icon.tsx'
import css from './Button.module.css'

export interface IconButtonProps extends Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'aria-label' | 'children' | 'className' | 'title' | 'type'
> {
  readonly icon: IconName
  readonly label: string
  /** A shortcut as people write it; shown with the label, not part of the name. */
  readonly keys?: string
}

export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(
  { icon, label, keys = '', ...rest },
  ref,
) {
  return (
    <button
      {...rest}
      ref={ref}
      type="button"
      className={css['icon']}
      aria-label={label}
      title={keys === '' ? label : `${label} (${keys})`}
    >
      <Icon name={icon} />
    </button>
  )
})

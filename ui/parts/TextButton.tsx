/** A quiet button with words. */

import type { ButtonHTMLAttributes, JSX } from 'react'
import css from './Button.module.css'

export interface TextButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'type'> {
  /** With a border: the one thing to do in this place. */
  readonly outlined?: boolean
}

export function TextButton({ outlined = false, ...rest }: TextButtonProps): JSX.Element {
  return <button {...rest} type="button" className={outlined ? css['outlined'] : css['text']} />
}

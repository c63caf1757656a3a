/** Which tabs a drawer has: radix's once they are loaded, plain ones where they cannot be. A drawer keeps what it began
 *  with, so that nothing in it is mounted twice. */

import { createContext, useContext, useState } from 'react'
import type { ButtonHTMLAttributes, HTMLAttributes, JSX, ReactNode } from 'react'
import { useLater, useLaterFailed } from './later.ts'

/** A component, however it is made. */
type Part<P> = (props: P) => ReactNode

export interface TabsParts {
  readonly Root: Part<
    Omit<HTMLAttributes<HTMLDivElement>, 'dir' | 'defaultValue'> & {
      readonly value: string
      readonly onValueChange: (value: string) => void
    }
  >
  readonly List: Part<HTMLAttributes<HTMLDivElement>>
  readonly Trigger: Part<ButtonHTMLAttributes<HTMLButtonElement> & { readonly value: string }>
  readonly Content: Part<HTMLAttributes<HTMLDivElement> & { readonly value: string }>
}

/** Null while they are on their way. */
export function useTabs(wanted: boolean): TabsParts | null {
  const loaded = useLater('tabs', wanted)
  const failed = useLaterFailed('tabs')
  const [kept, keep] = useState<TabsParts | null>(null)
  const tabs = kept ?? loaded ?? (failed && wanted ? PLAIN : null)
  if (kept === null && tabs !== null) keep(tabs)
  return tabs
}

const Chosen = createContext<{ readonly value: string; readonly choose: (value: string) => void }>({
  value: '',
  choose: () => undefined,
})

const PLAIN: TabsParts = {
  Root({ value, onValueChange, ...rest }): JSX.Element {
    return (
      <Chosen.Provider value={{ value, choose: onValueChange }}>
        <div {...rest} />
      </Chosen.Provider>
    )
  },
  List: (props) => <div role="tablist" {...props} />,
  Trigger({ value, ...rest }): JSX.Element {
    const chosen = useContext(Chosen)
    const active = chosen.value === value
    return (
      <button
        type="button"
        role="tab"
        aria-selected={active}
        data-state={active ? 'active' : 'inactive'}
        onClick={() => chosen.choose(value)}
        {...rest}
      />
    )
  },
  Content({ value, ...rest }): JSX.Element {
    return <div role="tabpanel" hidden={useContext(Chosen).value !== value} {...rest} />
  },
}

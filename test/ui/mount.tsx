/** Mounts a surface the way the host's page does: words, the mark for tokens, and a main composer beside it. */

import { act, cleanup, render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { UserEvent } from '@testing-library/user-event'
import type { ReactElement } from 'react'
import { afterEach } from 'vitest'
import { BtwCard } from '../../ui/btw/BtwCard.tsx'
import * as code from '../../ui/later/code.ts'
import * as markdown from '../../ui/later/markdown.tsx'
import * as math from '../../ui/later/math.ts'
import * as tabs from '../../ui/later/tabs.ts'
import { createTranslate } from '../../ui/locales.ts'
import { supplyLater } from '../../ui/parts/later.ts'
import { SurfaceProvider } from '../../ui/parts/surface.tsx'
import { SideTab } from '../../ui/side/SideTab.tsx'
import type { SideTabProps } from '../../ui/side/SideTab.tsx'
import { answered, say } from '../kit/fake-transport.ts'
import { createRig, MAIN } from './rig.ts'
import type { Rig } from './rig.ts'

Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', true)
afterEach(cleanup)

// Here from the start, as on a page that has shown an answer before.
supplyLater('markdown', markdown)
supplyLater('code', code)
supplyLater('math', math)
supplyLater('tabs', tabs)

/** jsdom has no layout: what a browser would measure is 0 there. */
Reflect.set(globalThis, 'ResizeObserver', undefined)

export function Surface({
  children,
  locale = 'en',
}: {
  readonly children: ReactElement
  readonly locale?: string
}): ReactElement {
  return (
    <SurfaceProvider value={{ t: createTranslate(locale) }}>
      <div data-sidemind="">{children}</div>
    </SurfaceProvider>
  )
}

export function mount(element: ReactElement, locale = 'en'): ReturnType<typeof render> {
  return render(<Surface locale={locale}>{element}</Surface>)
}

export interface Page extends Rig {
  readonly user: UserEvent
  /** Main's composer. */
  readonly composer: HTMLTextAreaElement
  /** Keys that reached main: listeners on document and window, as hosts have them. */
  readonly mainHeard: string[]
  /** Like `paint`, with React's updates. */
  tick(): Promise<void>
  /** Asks from main's composer as the host does: the text is cleared when it was taken. */
  ask(question: string): Promise<string>
  answer(sideId: string, text: string): Promise<void>
  stream(sideId: string, text: string): Promise<void>
}

/** Main's composer and the overlay above it. */
export function mountBtw(locale = 'en'): Page {
  const rig = createRig()
  const composer = document.createElement('textarea')
  composer.setAttribute('aria-label', 'main composer')
  document.body.append(composer)
  mount(
    <BtwCard
      runtime={rig.runtime}
      parent={MAIN}
      focusComposer={() => composer.focus()}
      composerText={() => composer.value}
    />,
    locale,
  )
  return page(rig, composer)
}

export function mountSide(props: Partial<SideTabProps> = {}, locale = 'en'): Page & { readonly sideId: string } {
  const rig = createRig()
  const sideId = rig.runtime.openDraft(MAIN)
  const composer = document.createElement('textarea')
  document.body.append(composer)
  mount(<SideTab runtime={rig.runtime} sideId={sideId} visible {...props} />, locale)
  return { ...page(rig, composer), sideId }
}

function page(rig: Rig, composer: HTMLTextAreaElement): Page {
  const mainHeard: string[] = []
  const hear = (event: KeyboardEvent): void => void mainHeard.push(event.key)
  document.addEventListener('keydown', hear)
  const tick = (): Promise<void> => act(() => rig.paint())
  afterEach(() => {
    document.removeEventListener('keydown', hear)
    composer.remove()
  })
  const turnOf = (sideId: string): string => rig.runtime.find(sideId)?.turns.at(-1)?.turnId ?? ''
  return {
    ...rig,
    user: userEvent.setup(),
    composer,
    mainHeard,
    tick,
    async ask(question) {
      act(() => composer.focus())
      composer.value = `/btw ${question}`
      const { sideId } = await act(async () => rig.runtime.ask(MAIN, 'btw', question))
      await tick()
      composer.value = ''
      await act(() => new Promise((resolve) => setTimeout(resolve, 80)))
      return sideId
    },
    async answer(sideId, text) {
      rig.transport.emit(sideId, ...answered(turnOf(sideId), 'ignored', text).slice(1))
      await tick()
    },
    async stream(sideId, text) {
      rig.transport.emit(sideId, say.running(turnOf(sideId)), say.text(turnOf(sideId), text))
      await tick()
    },
  }
}

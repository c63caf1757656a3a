/** Where a `/side` is shown: in its own conversation only, and not against the person's will. */
import { describe, expect, it } from 'vitest'

import { drawerPlace, tabPlace } from '../../ui/dsh/place.ts'
import { createRig, MAIN, OTHER } from './rig.ts'

function tabs() {
  const { runtime } = createRig()
  const later: (() => void)[] = []
  const opened: string[] = []
  const screen: { session: string | undefined } = { session: MAIN.sessionId }
  const place = tabPlace({
    runtime,
    kind: 'sidemind-side',
    current: () => screen.session,
    later: (_ms, task) => later.push(task),
    sidebar: {
      openResource(_address: string, { params }: { params: { sideId: string } }) {
        if (screen.session === undefined) throw new Error('no session surface is mounted')
        opened.push(`${params.sideId} in ${screen.session}`)
      },
    },
  })
  const pass = (): void => {
    for (const task of later.splice(0)) task()
  }
  return { runtime, place, opened, screen, pass }
}

describe('tabPlace', () => {
  it('opens no tab in a conversation that a side does not belong to, but one when its own comes back', () => {
    const { runtime, place, opened, screen, pass } = tabs()
    screen.session = undefined
    const { sideId } = runtime.ask(MAIN, 'side', 'why?')
    place.show(sideId)
    screen.session = OTHER.sessionId
    for (let round = 0; round < 30; round += 1) pass()
    place.show(sideId)
    expect(opened).toEqual([])
    screen.session = MAIN.sessionId
    place.showRestored(MAIN.sessionId)
    expect(opened).toEqual([`${sideId} in ${MAIN.sessionId}`])
  })

  it('does nothing more once it was stopped', () => {
    const { runtime, place, opened, screen, pass } = tabs()
    screen.session = undefined
    place.show(runtime.ask(MAIN, 'side', 'why?').sideId)
    place.stop()
    screen.session = MAIN.sessionId
    for (let round = 0; round < 3; round += 1) pass()
    expect(opened).toEqual([])
  })
})

describe('drawerPlace', () => {
  it('opens for what came back after a reload, and stays hidden when the person hid it', () => {
    const { runtime } = createRig()
    const place = drawerPlace(runtime, () => {})
    runtime.openDraft(MAIN)
    place.showRestored(MAIN.sessionId)
    expect(place.isOpen(MAIN.sessionId)).toBe(true)
    place.hide(MAIN.sessionId)
    place.showRestored(OTHER.sessionId)
    place.showRestored(MAIN.sessionId)
    expect(place.isOpen(MAIN.sessionId)).toBe(false)
  })
})

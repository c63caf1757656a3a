/** The provider contract against the real DSH provider inside the real host. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import type { ExpiryReason, OpenSide, SideEvent } from '../../src/core/contract.ts'
import { EMPTY_TRANSCRIPT, project } from '../../src/core/projector.ts'
import { startDshRig, stopDshHost, type DshRig } from '../kit/dsh-rig.ts'
import { sideProviderContract } from '../providers/contract.ts'

afterAll(stopDshHost)

sideProviderContract('dsh', startDshRig)

describe('what DSH does where a line cannot be raised, or only there', () => {
  let rig: DshRig
  let heard: (SideEvent | ExpiryReason)[]
  let sides: OpenSide[]

  beforeEach(async () => {
    rig = await startDshRig()
    heard = []
    sides = []
  })
  afterEach(async () => {
    for (const side of sides) await rig.provider.close(side)
    await rig.dispose()
  })

  const turn = () =>
    heard.filter((one) => typeof one !== 'string').reduce((view, event) => project(view, event), EMPTY_TRANSCRIPT)
      .turns[0]

  async function request(sideSessionId: string, signal: AbortSignal): Promise<Parameters<DshRig['provider']['open']>> {
    const source = await rig.source()
    const { workspaceId, sessionId: sourceSessionId } = source
    const side = { workspaceId, sourceSessionId, sideSessionId, requestId: 'request-1' }
    return [
      { source, side, kind: 'side', boundary: 'BOUNDARY', signal },
      { event: (event) => heard.push(event), lost: (reason) => heard.push(reason) },
    ]
  }

  /** What every page of the host is sent. */
  const framesOf = (type: string) => rig.host.frames.all.filter((frame) => frame.type === type)

  /** Opens a side and asks it something that is answered like this. */
  async function ask(behaviour: Behaviour): Promise<OpenSide> {
    const [open, sink] = await request('side-dsh', new AbortController().signal)
    const { providerSessionId } = await rig.provider.open(open, sink)
    const side: OpenSide = { identity: open.side, kind: 'side', providerSessionId }
    sides.push(side)
    rig.host.model.script({ behaviour })
    const content = [{ type: 'text', text: 'why?' }] as const
    await rig.provider.exec(side, { turnId: 'turn-1', clientSubmitId: 'submit-1', content })
    return side
  }

  async function until(what: string, isSo: () => boolean): Promise<void> {
    for (let waited = 0; waited < 1_000 && !isSo(); waited += 1) await rig.pause()
    expect(isSo(), what).toBe(true)
  }

  it('P3 rejects an open that is aborted while its child is being made, and leaves none', async () => {
    const abort = new AbortController()
    const [open, sink] = await request('side-dsh', abort.signal)
    const opened = rig.provider.open(open, sink)
    abort.abort()
    await expect(opened).rejects.toThrow()
    expect(await rig.children()).toEqual([])
    expect(heard).toEqual([])
  })

  it('T4 ends a turn that is stopped before the model said a word', async () => {
    const side = await ask({ kind: 'gate', name: 'never opened' })
    await until('the model is asked', () => rig.host.model.requests().some(({ gate }) => gate === 'never opened'))
    await rig.provider.cancel(side, 'turn-1')
    expect(turn()).toMatchObject({ phase: 'settled', outcome: 'canceled', items: [] })
  })

  it('T5 refuses a tool that may not run, in words, and knows of no prompt to answer', async () => {
    const side = await ask({ kind: 'write-tool', after: 'I may not write.' })
    await until('it ends', () => turn()?.phase === 'settled')
    expect(turn()).toMatchObject({
      outcome: 'completed',
      interactions: [],
      items: [
        { kind: 'tool', tool: { name: 'write', status: 'refused' } },
        { kind: 'text', text: 'I may not write.' },
      ],
    })
    await expect(rig.provider.respond(side, 'turn-1', 'any', { decision: 'allow' })).rejects.toMatchObject({
      code: 'interaction_not_live',
    })
  })

  it('T5 refuses an approval that a side asks for, asks nobody and shows no prompt', async () => {
    const side = await ask({ kind: 'stall', text: 'One ' })
    await until('it writes', () => turn()?.items.length === 1)
    expect(await rig.approve(side.providerSessionId)).toBe('rejected')
    await rig.pause()
    expect(turn()?.interactions).toEqual([])
    expect(framesOf('approval/requested')).toEqual([])
  })

  it('T5 asks the person of the side alone: no page of the host is asked', async () => {
    const questions = [{ id: 'q', question: 'Which one?' }]
    const side = await ask({ kind: 'tool', calls: [{ name: 'ask_user_question', arguments: { questions } }] })
    await until('it asks', () => turn()?.phase === 'waiting')
    expect(turn()?.interactions).toMatchObject([{ kind: 'question', status: 'pending', input: { questions } }])
    expect(framesOf('question/requested')).toEqual([])
    const { requestId } = turn()?.interactions[0] ?? { requestId: '' }
    await rig.provider.respond(side, 'turn-1', requestId, { decision: 'refuse' })
    await until('it ends', () => turn()?.phase === 'settled')
    expect(turn()).toMatchObject({ outcome: 'completed', interactions: [{ status: 'rejected' }] })
  })

  it('T9 tells of a loss in the middle of an answer after it told how the turn ended', async () => {
    const side = await ask({ kind: 'stall', text: 'One ' })
    await until('it writes', () => turn()?.items.length === 1)
    await rig.lose?.(side.providerSessionId)
    await until('it is lost', () => heard.at(-1) === 'provider_lost')
    expect(turn()).toMatchObject({ phase: 'settled', outcome: 'interrupted' })
    expect(heard.filter((one) => typeof one === 'string')).toEqual(['provider_lost'])
  })

  it('T9 takes its own close for no loss', async () => {
    const side = await ask({ kind: 'stall', text: 'One ' })
    await until('it writes', () => turn()?.items.length === 1)
    await rig.provider.close(side)
    await rig.pause()
    expect(heard).not.toContain('provider_lost')
  })

  it('captures no running turn of a conversation that was stopped before the model said a word', async () => {
    const main = await rig.host.newSession()
    await rig.host.ask(main, 'Hello. [[plain Hi.]]')
    await rig.host.prompt(main, 'Go on. [[gate closed]]')
    await until('the model is asked', () => rig.host.model.requests().some(({ gate }) => gate === 'closed'))
    expect((await rig.capture(main)).liveTurn).toMatchObject({ waitsFor: 'model' })
    await rig.host.rpc('session.cancel', { sessionId: main })
    await rig.pause()
    expect(await rig.capture(main)).toMatchObject({ liveTurn: null, inheritedTurns: 1 })
  })
})

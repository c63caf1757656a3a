/** Quotations and questions that go on as a side, in the store over a scripted transport. */
import { describe, expect, it } from 'vitest'

import { answered, say } from '../kit/fake-transport.ts'
import { createRig, MAIN, type Rig } from './rig.ts'

async function answeredBtw(rig: Rig, question = 'which file?'): Promise<string> {
  const { sideId, accepted } = rig.runtime.ask(MAIN, 'btw', question)
  await accepted
  rig.transport.emit(sideId, ...answered(rig.transport.at(-1).turnId, question, 'Which one?'))
  await rig.paint()
  return sideId
}

describe('a quotation', () => {
  it('[K08] goes in front of the next question only, and names no side', async () => {
    const rig = createRig()
    const box = rig.runtime.quoteIn(MAIN, 'btw', 'some words\n')
    expect(rig.only()).toMatchObject({ quote: 'some words', askBox: true })
    rig.runtime.send(box, 'why?')
    await rig.paint()
    expect(rig.transport.opened[0]?.content).toEqual([{ type: 'text', text: '> some words\n\nwhy?' }])
    expect(rig.only()).toMatchObject({ quote: '', title: 'why?' })
  })

  it('comes back with its question when that is refused', async () => {
    const rig = createRig()
    rig.transport.script.open = 'provider_error'
    const box = rig.runtime.quoteIn(MAIN, 'btw', 'some words')
    rig.runtime.send(box, 'why?')
    await rig.paint()
    expect(rig.only()).toMatchObject({ quote: 'some words', status: { phase: 'error' } })
    expect(rig.runtime.draftOf(box)).toBe('why?')
    delete rig.transport.script.open
    rig.runtime.retry(box)
    await rig.paint()
    expect(rig.transport.opened[1]?.content).toEqual([{ type: 'text', text: '> some words\n\nwhy?' }])
    expect(rig.runtime.draftOf(box)).toBe('')
  })

  it('leaves what is typed in an open ask box, and replaces an earlier quotation', () => {
    const rig = createRig()
    const box = rig.runtime.openDraft(MAIN, 'btw')
    rig.runtime.setDraft(box, 'typed')
    rig.runtime.quoteIn(MAIN, 'btw', 'one')
    rig.runtime.quoteIn(MAIN, 'btw', 'two')
    expect(rig.only().quote).toBe('two')
    expect(rig.runtime.draftOf(box)).toBe('typed')
  })

  it('comes back with its question when that is recalled, unless there is a newer one', async () => {
    const rig = createRig()
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'side', '> some words\n\nwhy?')
    await accepted
    rig.runtime.recall(sideId, '> some words\n\nwhy?')
    expect(rig.only().quote).toBe('some words')
    expect(rig.runtime.draftOf(sideId)).toBe('why?')
    rig.runtime.setDraft(sideId, '')
    rig.runtime.setQuote(sideId, 'newer words')
    rig.runtime.recall(sideId, '> some words\n\nwhy?')
    expect(rig.only().quote).toBe('newer words')
    expect(rig.runtime.draftOf(sideId)).toBe('why?')
  })

  it('is kept in the text when its question comes back beside another one', () => {
    const rig = createRig()
    const box = rig.runtime.quoteIn(MAIN, 'side', 'one')
    rig.runtime.setDraft(box, 'typed')
    rig.runtime.takeBack(box, '> two\n\nwhy?')
    expect(rig.only().quote).toBe('one')
    expect(rig.runtime.draftOf(box)).toBe('> two\n\nwhy?\ntyped')
  })

  it('moves with its ask box into a side', async () => {
    const rig = createRig()
    const box = rig.runtime.quoteIn(MAIN, 'btw', 'one')
    rig.runtime.setDraft(box, 'typed')
    expect(await rig.runtime.continueAsSide(box)).toBe(box)
    expect(rig.only()).toMatchObject({ kind: 'side', askBox: false, quote: 'one', status: { phase: 'draft' } })
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({ btw: [], shownSide: box })
    expect(rig.transport.calls).toEqual([])
  })
})

describe('[K07] a question that goes on as a side', () => {
  it('is the same side under the same id, and takes follow-ups', async () => {
    const rig = createRig()
    const sideId = await answeredBtw(rig)
    rig.transport.facts = { ...rig.transport.facts, tools: ['glob'] }
    expect(await rig.runtime.continueAsSide(sideId)).toBe(sideId)
    expect(rig.only()).toMatchObject({ kind: 'side', facts: { tools: ['glob'] }, title: 'which file?' })
    expect(rig.only().turns).toHaveLength(1)
    expect(rig.runtime.send(sideId, 'the second')).toBe('sent')
    expect(rig.transport.of('send')).toHaveLength(1)
    expect(rig.transport.opened).toHaveLength(1)
  })

  it('goes on while it answers, and asks the host once however often it is pressed', async () => {
    const rig = createRig()
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'btw', 'slow')
    await accepted
    rig.transport.script.promote = 'hold'
    const twice = [rig.runtime.continueAsSide(sideId), rig.runtime.continueAsSide(sideId)]
    rig.transport.settle('promote')
    expect(await Promise.all(twice)).toEqual([sideId, sideId])
    expect(rig.transport.of('promote')).toHaveLength(1)
    rig.transport.emit(sideId, ...answered(rig.transport.at(0).turnId, 'slow', 'done'))
    await rig.paint()
    expect(rig.only()).toMatchObject({ kind: 'side', status: { phase: 'idle' } })
  })

  it('stays a card with a sentence when the host cannot be reached', async () => {
    const rig = createRig()
    const sideId = await answeredBtw(rig)
    rig.transport.script.promote = 'stream_unavailable'
    expect(await rig.runtime.continueAsSide(sideId)).toBeNull()
    expect(rig.only()).toMatchObject({
      kind: 'btw',
      notice: { code: 'stream_unavailable', verb: 'continue' },
      status: { phase: 'idle' },
    })
  })

  it.each(['expired before', 'found expired', 'no way to get tools'])(
    'is quoted in a new side when it has %s',
    async (how) => {
      const rig = createRig()
      const sideId = await answeredBtw(rig)
      if (how === 'expired before') rig.transport.emit(sideId, say.expired('provider_lost'))
      else rig.transport.script.promote = how === 'found expired' ? 'expired' : 'unsupported'
      await rig.paint()
      expect(await rig.runtime.continueAsSide(sideId)).toBe(sideId)
      expect(rig.only()).toMatchObject({ kind: 'side', status: { phase: 'draft' }, quote: 'which file?\n\nWhich one?' })
      expect(rig.runtime.sidesOf(MAIN.sessionId).recent).toMatchObject([{ title: 'which file?', kind: 'btw' }])
      rig.runtime.send(sideId, 'the second')
      await rig.paint()
      expect(rig.transport.opened[1]).toMatchObject({ kind: 'side' })
      expect(rig.transport.at(1).sideId).not.toBe(sideId)
      expect(rig.transport.of('close')).toHaveLength(how === 'no way to get tools' ? 1 : 0)
    },
  )

  it('is left alone once its close was asked for', async () => {
    const rig = createRig()
    const sideId = await answeredBtw(rig)
    rig.runtime.close(sideId)
    expect(await rig.runtime.continueAsSide(sideId)).toBeNull()
    rig.runtime.undo(sideId)
    expect(rig.only().kind).toBe('btw')
  })

  it('[K32] can be closed, undone, and read in recent as any side', async () => {
    const rig = createRig()
    const sideId = await answeredBtw(rig)
    await rig.runtime.continueAsSide(sideId)
    rig.runtime.close(sideId)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({ side: [], closing: [{ sideId, kind: 'side' }] })
    rig.runtime.undo(sideId)
    expect(rig.runtime.sidesOf(MAIN.sessionId).side).toHaveLength(1)
    rig.runtime.close(sideId)
    await rig.pass(9_000)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({ side: [], recent: [{ sideId, kind: 'side' }] })
  })
})

describe('main’s later turns', () => {
  async function idle(rig: Rig): Promise<string> {
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'side', 'first')
    await accepted
    rig.transport.emit(sideId, ...answered(rig.transport.at(-1).turnId, 'first', 'one'))
    await rig.paint()
    return sideId
  }

  it('go along with the next question only, and the side then knows them', async () => {
    const rig = createRig()
    const sideId = await idle(rig)
    rig.runtime.setCatchUp(sideId, true)
    rig.transport.sendAnswer = { mainTurn: 15 }
    rig.runtime.send(sideId, 'second')
    await rig.paint()
    expect(rig.transport.of('send')[0]?.at(-1)).toEqual({ catchUp: true })
    expect(rig.only()).toMatchObject({ catchUp: false, facts: { mainTurn: 15 } })
    rig.transport.emit(sideId, ...answered(rig.transport.lastSent(), 'second', 'two'))
    await rig.paint()
    rig.transport.sendAnswer = {}
    rig.runtime.send(sideId, 'third')
    await rig.paint()
    expect(rig.transport.of('send')[1]?.at(-1)).toEqual({})
    expect(rig.only().facts?.mainTurn).toBe(15)
  })

  it('stay chosen when the question is refused', async () => {
    const rig = createRig()
    const sideId = await idle(rig)
    rig.runtime.setCatchUp(sideId, true)
    rig.transport.script.send = 'provider_error'
    rig.runtime.send(sideId, 'second')
    await rig.paint()
    expect(rig.only()).toMatchObject({ catchUp: true, facts: { mainTurn: 12 } })
    expect(rig.runtime.draftOf(sideId)).toBe('second')
  })
})

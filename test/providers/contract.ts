/** The provider contract as one suite: the same lines for every provider. Each test's name starts with its line.
 *  A rig makes a real provider beside a real (or scripted) source; whatever a provider cannot raise is named with its
 *  reason in `cannot` and shows as skipped, none silently (D16). */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  isSupported,
  type ContentPart,
  type Envelope,
  type InteractionPatch,
  type OpenRequest,
  type SideEvent,
  type SideIdentity,
  type SideProvider,
  type Source,
} from '../../src/core/contract.ts'
import {
  createController,
  type ControllerReport,
  type OpenCommand,
  type SideController,
} from '../../src/core/controller.ts'
import { SideError } from '../../src/core/errors.ts'
import type { Clock } from '../../src/core/limits.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript, type TranscriptTurn } from '../../src/core/projector.ts'

/** How the model answers. `slow` writes for at least a second of the rig's clock, `stall` starts and never ends. */
export type ScriptName = 'plain' | 'slow' | 'reasoning' | 'tool' | 'error-429' | 'stall' | 'ask'

export interface ProviderRig<S extends Source = Source> {
  readonly provider: SideProvider<S>
  /** The provider's time; `pause` moves it. */
  readonly clock: Clock
  /** Lets a little time pass (20 ms or so) and everything that is due happen. */
  pause(): Promise<void>
  /** Captures the parent, in which a turn is running. */
  source(): Promise<S>
  /** The child captured as if somebody wanted a side of it. */
  sourceOfChild(providerSessionId: string): Promise<S>
  /** How the side's next turns are answered. */
  script(name: ScriptName): void
  /** A right answer to what `ask` asks; default: allow it. */
  answer?(prompt: InteractionPatch): unknown
  /** What the script makes the model say: exact text and reasoning, white space included. */
  expected(name: 'plain' | 'reasoning' | 'tool'): {
    readonly text: string
    readonly reasoning?: string
    readonly tool?: { readonly name: string; readonly target: string }
  }
  /** What the model was asked by sides so far, one text per request. */
  requests(): Promise<readonly string[]>
  childAlive(providerSessionId: string): Promise<boolean>
  /** Every child alive, by its provider's id; an open that failed must leave none. */
  children(): Promise<readonly string[]>
  /** Whether the source's log, title, inbox and running turn are as they were when the rig started. */
  sourceUntouched(): Promise<boolean>
  /** Ends a child behind the provider's back. Absent: name T9 in `cannot`. */
  lose?(providerSessionId: string): Promise<void>
  dispose(): Promise<void>
}

export interface ContractOptions {
  /** Contract line (the first word of a test's name) -> why this provider cannot raise it. */
  readonly cannot?: Readonly<Record<string, string>>
  /** Longest wait for one thing to happen, in pauses. */
  readonly patience?: number
}

/** Runs the suite for one provider. `startRig` is called once per test. */
export function sideProviderContract<S extends Source>(
  name: string,
  startRig: () => Promise<ProviderRig<S>>,
  options: ContractOptions = {},
): void {
  const { cannot = {}, patience = 1_000 } = options

  function line(title: string, body: () => Promise<void>): void {
    const why = cannot[title.split(' ')[0] ?? '']
    if (why === undefined) it(title, body)
    else it.skip(`${title} (${why})`, body)
  }

  describe(`provider contract: ${name}`, () => {
    let bench: Bench<S>

    beforeEach(async () => {
      bench = createBench(await startRig(), patience)
    })
    afterEach(async () => {
      await bench.controller.shutdown()
      await bench.rig.dispose()
    })

    line('P1 supports this source, says so again on the open result, and probing makes nothing', async () => {
      const { rig } = bench
      expect(isSupported(await rig.provider.capabilities(await rig.source()))).toBe(true)
      expect(await rig.children()).toEqual([])
      const { capabilities } = await bench.open('side-p1')
      expect(isSupported(capabilities)).toBe(true)
      expect(await rig.sourceUntouched()).toBe(true)
    })

    line('P1 tells the model the boundary beside the question', async () => {
      const { identity } = await bench.open('side-p1')
      await bench.turn(identity, 'turn-1', 'plain', 'What is 6 x 7?')
      const request = (await bench.rig.requests()).at(-1)
      expect(request).toContain('BOUNDARY side-p1')
      expect(request).toContain('What is 6 x 7?')
    })

    line('P5 [K07] makes a one-shot child a side in place: its history kept, its boundary told anew', async () => {
      const { controller, rig } = bench
      const { identity, providerSessionId } = await bench.open('side-p5', { kind: 'btw' })
      await bench.turn(identity, 'turn-1', 'plain', 'Which of them is it?')
      await controller.promote(identity)
      await controller.promote(identity)
      expect(controller.find(identity.workspaceId, identity.sideSessionId)).toMatchObject({
        kind: 'side',
        providerSessionId,
      })
      await bench.turn(identity, 'turn-2', 'plain', 'The second one.')
      expect((await rig.requests()).at(-1)).toContain('BOUNDARY side-p5 side')
      expect(await rig.children()).toEqual([providerSessionId])
      expect(await rig.sourceUntouched()).toBe(true)
    })

    line('P2 does not support a source that is itself a side', async () => {
      const { providerSessionId } = await bench.open('side-p2')
      expect(isSupported(await bench.rig.provider.capabilities(await bench.rig.sourceOfChild(providerSessionId)))).toBe(
        false,
      )
    })

    line('P3 rejects an open that was aborted before, calls back nothing and leaves no child', async () => {
      const { rig } = bench
      const heard: unknown[] = []
      const request: OpenRequest<S> = { ...bench.request(await rig.source(), 'side-p3'), signal: AbortSignal.abort() }
      await expect(
        rig.provider.open(request, { event: (event) => heard.push(event), lost: (reason) => heard.push(reason) }),
      ).rejects.toThrow()
      await bench.pauses(5)
      expect(heard).toEqual([])
      expect(await rig.children()).toEqual([])
    })

    line('P4 leaves no child of an open that was given up half-way, whenever its result arrives', async () => {
      const { rig } = bench
      const source = await rig.source()
      for (let ticks = 0; ticks < 4; ticks += 1) {
        const abort = new AbortController()
        const outcome = bench.open(`side-p4-${ticks}`, { source, signal: abort.signal }).then(
          () => 'opened',
          () => 'failed',
        )
        for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
        abort.abort()
        if ((await outcome) === 'opened') await bench.controller.close(bench.identity(source, `side-p4-${ticks}`))
      }
      await bench.until('no child is left', async () => (await rig.children()).length === 0)
      expect(bench.of('side-p4-0')).toEqual([])
    })

    line('O2 forks once for the same open, and a second time only for another side', async () => {
      const [first, again] = [await bench.open('side-a'), await bench.open('side-a')]
      expect(again.providerSessionId).toBe(first.providerSessionId)
      expect(await bench.rig.children()).toHaveLength(1)
      const other = await bench.open('side-b')
      expect(other.providerSessionId).not.toBe(first.providerSessionId)
      expect(await bench.rig.children()).toHaveLength(2)
    })

    line(
      'O8 names exactly the side and the source that were asked for, and a child that is not the source',
      async () => {
        const { rig } = bench
        const source = await rig.source()
        const result = await rig.provider.open(bench.request(source, 'side-o8'), {
          event: () => undefined,
          lost: () => undefined,
        })
        expect(result).toMatchObject({ sideSessionId: 'side-o8', sourceSessionId: source.sessionId })
        expect(result.providerSessionId).not.toBe(source.sessionId)
        expect(await rig.childAlive(result.providerSessionId)).toBe(true)
        await rig.provider.close({
          identity: bench.identity(source, 'side-o8'),
          kind: 'side',
          providerSessionId: result.providerSessionId,
        })
        expect(await rig.childAlive(result.providerSessionId)).toBe(false)
      },
    )

    line('O9 leaves the source and its running turn alone from open to close', async () => {
      const { identity } = await bench.open('side-o9')
      expect(await bench.rig.sourceUntouched()).toBe(true)
      await bench.turn(identity, 'turn-1', 'plain')
      expect(await bench.rig.sourceUntouched()).toBe(true)
      await bench.controller.close(identity)
      expect(await bench.rig.sourceUntouched()).toBe(true)
    })

    line('O11 runs two sides of one source at once, each with its own answer', async () => {
      const [a, b] = [(await bench.open('side-a')).identity, (await bench.open('side-b')).identity]
      bench.rig.script('slow')
      await bench.send(a, 'turn-a')
      await bench.send(b, 'turn-b')
      await bench.until('both write', () => bench.text(a, 'turn-a') !== '' && bench.text(b, 'turn-b') !== '')
      expect(bench.transcript(a).turns.map((turn) => turn.turnId)).toEqual(['turn-a'])
      expect(bench.transcript(b).turns.map((turn) => turn.turnId)).toEqual(['turn-b'])
    })

    line('T2 takes a second turn when the first settled, and remembers the first', async () => {
      const { identity } = await bench.open('side-t2')
      await bench.turn(identity, 'turn-1', 'plain', 'first question')
      await bench.turn(identity, 'turn-2', 'plain', 'second question')
      expect((await bench.rig.requests()).at(-1)).toContain('second question')
      expect(bench.transcript(identity).turns.map((turn) => [turn.question, turn.outcome])).toEqual([
        ['first question', 'completed'],
        ['second question', 'completed'],
      ])
    })

    line('T2 refuses a second turn while one runs, and the model is not asked', async () => {
      const { identity } = await bench.open('side-t2')
      bench.rig.script('stall')
      await bench.send(identity, 'turn-1')
      await bench.until('it writes', () => bench.text(identity, 'turn-1') !== '')
      const before = (await bench.rig.requests()).length
      await expect(bench.send(identity, 'turn-2')).rejects.toMatchObject({ code: 'turn_active' })
      await bench.pauses(5)
      expect(await bench.rig.requests()).toHaveLength(before)
    })

    line('T3 runs a turn id once', async () => {
      const { identity } = await bench.open('side-t3')
      await bench.turn(identity, 'turn-1', 'plain')
      const before = (await bench.rig.requests()).length
      await bench.send(identity, 'turn-1', 'another question')
      await bench.pauses(5)
      expect(await bench.rig.requests()).toHaveLength(before)
      expect(bench.transcript(identity).turns).toHaveLength(1)
    })

    line('T4 cancels exactly the named turn and keeps what it wrote', async () => {
      const { identity } = await bench.open('side-t4')
      bench.rig.script('slow')
      await bench.send(identity, 'turn-1')
      await bench.until('it writes', () => bench.text(identity, 'turn-1') !== '')
      expect(await bench.controller.cancel(identity, 'turn-1')).toEqual({ canceled: true, targetAbsent: false })
      const kept = bench.text(identity, 'turn-1')
      expect(bench.turnOf(identity, 'turn-1')).toMatchObject({ phase: 'settled', outcome: 'canceled' })
      await bench.pauses(20)
      expect(bench.text(identity, 'turn-1')).toBe(kept)
      expect(kept).not.toBe('')
    })

    line('T4 does not touch the running turn when another one is named, also not in the provider itself', async () => {
      const opened = await bench.open('side-t4')
      bench.rig.script('slow')
      await bench.send(opened.identity, 'turn-1')
      await bench.until('it writes', () => bench.text(opened.identity, 'turn-1') !== '')
      expect(await bench.controller.cancel(opened.identity, 'turn-0')).toEqual({ canceled: false, targetAbsent: true })
      await bench.rig.provider
        .cancel({ ...opened, kind: 'side' }, 'turn-0')
        .catch((error: unknown) => expect(error).toBeInstanceOf(SideError))
      const before = bench.text(opened.identity, 'turn-1')
      await bench.until('it goes on', () => bench.text(opened.identity, 'turn-1').length > before.length)
      expect(bench.turnOf(opened.identity, 'turn-1')?.phase).not.toBe('settled')
    })

    line('T4 stops one side and no other', async () => {
      const [a, b] = [(await bench.open('side-a')).identity, (await bench.open('side-b')).identity]
      bench.rig.script('slow')
      await bench.send(a, 'turn-a')
      await bench.send(b, 'turn-b')
      await bench.until('both write', () => bench.text(a, 'turn-a') !== '' && bench.text(b, 'turn-b') !== '')
      await bench.controller.cancel(a, 'turn-a')
      await bench.until('the other completes', () => bench.turnOf(b, 'turn-b')?.outcome === 'completed')
      expect(bench.turnOf(a, 'turn-a')?.outcome).toBe('canceled')
    })

    line('T4 stops a turn that hangs, and one right after it was sent; the side answers again', async () => {
      const { identity } = await bench.open('side-t4')
      bench.rig.script('stall')
      await bench.send(identity, 'turn-1')
      await bench.until('it starts', () => bench.text(identity, 'turn-1') !== '')
      await bench.controller.cancel(identity, 'turn-1')
      await bench.send(identity, 'turn-2')
      expect(await bench.controller.cancel(identity, 'turn-2')).toEqual({ canceled: true, targetAbsent: false })
      await bench.turn(identity, 'turn-3', 'plain')
      expect(bench.transcript(identity).turns.map((turn) => turn.outcome)).toEqual([
        'canceled',
        'canceled',
        'completed',
      ])
    })

    line('T5 answers a prompt once and tells when it is answered', async () => {
      const { identity } = await bench.open('side-t5')
      bench.rig.script('ask')
      await bench.send(identity, 'turn-1')
      const { requestId, answer, pending } = await bench.asked(identity, 'turn-1')
      expect(bench.turnOf(identity, 'turn-1')?.phase).toBe('waiting')
      await expect(bench.controller.respond(identity, 'turn-1', 'another', answer)).rejects.toMatchObject({
        code: 'interaction_not_live',
      })
      await expect(bench.controller.respond(identity, 'turn-1', requestId, {})).rejects.toMatchObject({
        code: 'interaction_invalid_response',
      })
      await bench.controller.respond(identity, 'turn-1', requestId, answer)
      await expect(bench.controller.respond(identity, 'turn-1', requestId, answer)).rejects.toMatchObject({
        code: 'interaction_already_answered',
      })
      await bench.until(
        'it is answered',
        () => pending()?.status === 'answered' && bench.turnOf(identity, 'turn-1')?.outcome === 'completed',
      )
      await expect(bench.controller.respond(identity, 'turn-1', requestId, answer)).rejects.toMatchObject({
        code: 'interaction_already_answered',
      })
      expect(await bench.rig.sourceUntouched()).toBe(true)
    })

    line('T5 takes a prompt back when its turn is stopped, and asks anew in the next', async () => {
      const { identity } = await bench.open('side-t5')
      bench.rig.script('ask')
      await bench.send(identity, 'turn-1')
      const { requestId, answer, pending } = await bench.asked(identity, 'turn-1')
      await bench.controller.cancel(identity, 'turn-1')
      await bench.until('it is stopped', () => bench.turnOf(identity, 'turn-1')?.outcome === 'canceled')
      expect(pending()?.status).toBe('gone')
      await expect(bench.controller.respond(identity, 'turn-1', requestId, answer)).rejects.toMatchObject({
        code: 'interaction_not_live',
      })
      await bench.send(identity, 'turn-2')
      const again = await bench.asked(identity, 'turn-2')
      await bench.controller.respond(identity, 'turn-2', again.requestId, again.answer)
      await bench.until('it is answered', () => bench.turnOf(identity, 'turn-2')?.outcome === 'completed')
    })

    line('T5 T7 closes a side that waits for an answer', async () => {
      const opened = await bench.open('side-t7')
      bench.rig.script('ask')
      await bench.send(opened.identity, 'turn-1')
      const { requestId, answer } = await bench.asked(opened.identity, 'turn-1')
      expect(await bench.controller.close(opened.identity)).toMatchObject({ found: true, cleanupPending: false })
      expect(await bench.rig.childAlive(opened.providerSessionId)).toBe(false)
      await expect(bench.controller.respond(opened.identity, 'turn-1', requestId, answer)).rejects.toMatchObject({
        code: 'expired',
      })
      expect(await bench.rig.sourceUntouched()).toBe(true)
    })

    line('T7 disposes the child, twice without an error, and says nothing afterwards', async () => {
      const opened = await bench.open('side-t7')
      await bench.turn(opened.identity, 'turn-1', 'plain')
      expect(await bench.rig.childAlive(opened.providerSessionId)).toBe(true)
      expect(await bench.controller.close(opened.identity)).toEqual({
        found: true,
        hidden: false,
        cleanupPending: false,
      })
      expect(await bench.rig.childAlive(opened.providerSessionId)).toBe(false)
      const before = bench.of('side-t7').length
      await bench.rig.provider.close({ ...opened, kind: 'side' })
      await bench.pauses(5)
      expect(bench.of('side-t7')).toHaveLength(before)
      expect(bench.transcript(opened.identity).lifecycle).toBe('closed')
    })

    line('T7 closes in the middle of an answer, keeps what was written and stops the model', async () => {
      const opened = await bench.open('side-t7')
      bench.rig.script('slow')
      await bench.send(opened.identity, 'turn-1')
      await bench.until('it writes', () => bench.text(opened.identity, 'turn-1') !== '')
      expect(await bench.controller.close(opened.identity)).toMatchObject({ cleanupPending: false })
      expect(await bench.rig.childAlive(opened.providerSessionId)).toBe(false)
      expect(bench.turnOf(opened.identity, 'turn-1')).toMatchObject({ phase: 'settled', outcome: 'canceled' })
      expect(bench.text(opened.identity, 'turn-1')).not.toBe('')
    })

    line('T7 closing one side leaves the other alive', async () => {
      const [a, b] = [await bench.open('side-a'), await bench.open('side-b')]
      await bench.controller.close(a.identity)
      expect(await bench.rig.childAlive(b.providerSessionId)).toBe(true)
      await bench.turn(b.identity, 'turn-1', 'plain')
    })

    line('T8 leaves no child when the host stops, whatever its sides were doing', async () => {
      const [a, b] = [await bench.open('side-a'), await bench.open('side-b')]
      bench.rig.script('stall')
      await bench.send(a.identity, 'turn-1')
      await bench.until('it writes', () => bench.text(a.identity, 'turn-1') !== '')
      await bench.controller.close(b.identity, { keepForMs: 8_000 })
      expect(await bench.controller.shutdown()).toEqual([])
      expect(await bench.rig.children()).toEqual([])
    })

    line('T9 tells at once that a child was lost; closing it afterwards is no error', async () => {
      const opened = await bench.open('side-t9')
      await bench.turn(opened.identity, 'turn-1', 'plain')
      await bench.rig.lose?.(opened.providerSessionId)
      await bench.until('the side expires', () => bench.transcript(opened.identity).lifecycle === 'expired')
      expect(bench.transcript(opened.identity)).toMatchObject({
        reason: 'provider_lost',
        turns: [{ outcome: 'completed' }],
      })
      await expect(bench.send(opened.identity, 'turn-2')).rejects.toMatchObject({ code: 'expired' })
      await bench.rig.provider.close({ ...opened, kind: 'side' })
      expect(bench.reports.filter((report) => report.kind === 'cleanup_failed')).toEqual([])
    })

    line('E1 numbers what it publishes from 1 without a gap, the start first and the end last', async () => {
      const { identity } = await bench.open('side-e1')
      await bench.turn(identity, 'turn-1', 'plain')
      await bench.controller.close(identity)
      const events = bench.of('side-e1')
      expect(events.map((one) => one.sequence)).toEqual(events.map((_, index) => index + 1))
      expect(events[0]).toMatchObject({ eventType: 'state_patch', data: { lifecycleStatus: 'ready' } })
      expect(events.at(-1)).toMatchObject({ eventType: 'state_patch', data: { lifecycleStatus: 'closed' } })
    })

    line('E1 reports submitted, running and settled once each, in this order', async () => {
      const { identity } = await bench.open('side-e1')
      await bench.turn(identity, 'turn-1', 'plain')
      await bench.pauses(5)
      const phases = bench
        .of('side-e1')
        .flatMap((one) => (one.eventType === 'state_patch' && one.data.turn !== undefined ? [one.data.turn.phase] : []))
      expect([...new Set(phases)].filter((phase) => phase !== 'settling')).toEqual(['submitted', 'running', 'settled'])
      expect(phases.filter((phase) => phase === 'settled')).toHaveLength(1)
    })

    line('E3 binds what comes after a stop to the stopped turn, never to the next', async () => {
      const { identity } = await bench.open('side-e3')
      bench.rig.script('slow')
      await bench.send(identity, 'turn-1')
      await bench.until('it writes', () => bench.text(identity, 'turn-1') !== '')
      await bench.controller.cancel(identity, 'turn-1')
      await bench.turn(identity, 'turn-2', 'plain')
      await bench.pauses(20)
      expect(bench.text(identity, 'turn-2')).toBe(bench.rig.expected('plain').text)
      expect(bench.turnOf(identity, 'turn-2')).toMatchObject({ outcome: 'completed' })
      expect(bench.turnOf(identity, 'turn-1')).toMatchObject({ outcome: 'canceled' })
    })

    line('E4 shows the source and its observers nothing of questions, answers and tools', async () => {
      const { identity } = await bench.open('side-e4')
      await bench.turn(identity, 'turn-1', 'tool')
      await bench.turn(identity, 'turn-2', 'error-429')
      await bench.controller.close(identity)
      expect(await bench.rig.sourceUntouched()).toBe(true)
    })

    line('E5 keeps the white space of question and answer, and streams the answer in pieces', async () => {
      const { identity } = await bench.open('side-e5')
      const question = '  two\n\n\tindented   lines \n'
      await bench.turn(identity, 'turn-1', 'plain', question)
      expect(bench.turnOf(identity, 'turn-1')).toMatchObject({ question, outcome: 'completed' })
      expect(bench.text(identity, 'turn-1')).toBe(bench.rig.expected('plain').text)
      const pieces = bench
        .of('side-e5')
        .filter(
          (one) =>
            one.eventType === 'message_delta' &&
            one.data.role === 'assistant' &&
            one.data.content.operation === 'append_text',
        )
      expect(pieces.length).toBeGreaterThan(1)
    })

    line('E5 keeps reasoning apart from the answer', async () => {
      const { identity } = await bench.open('side-e5')
      await bench.turn(identity, 'turn-1', 'reasoning')
      const { text, reasoning } = bench.rig.expected('reasoning')
      const items = bench.turnOf(identity, 'turn-1')?.items ?? []
      expect(items.map((item) => [item.kind, item.kind === 'tool' ? '' : item.text])).toEqual([
        ['reasoning', reasoning],
        ['text', text],
      ])
    })

    line('E5 shows a tool call with name, target and outcome before the text that follows it', async () => {
      const { identity } = await bench.open('side-e5')
      await bench.turn(identity, 'turn-1', 'tool')
      const { text, tool } = bench.rig.expected('tool')
      const items = bench.turnOf(identity, 'turn-1')?.items ?? []
      const index = items.findIndex((item) => item.kind === 'tool')
      expect(items[index]).toMatchObject({ kind: 'tool', tool: { ...tool, status: 'ok' } })
      expect(
        items
          .slice(index + 1)
          .map((item) => (item.kind === 'text' ? item.text : ''))
          .join(''),
      ).toBe(text)
    })

    line('E5 says what kind of failure ended a turn, and the side answers again', async () => {
      const { identity } = await bench.open('side-e5')
      await bench.turn(identity, 'turn-1', 'error-429', 'why?', 'failed')
      expect(bench.turnOf(identity, 'turn-1')?.error).toMatchObject({
        code: 'provider_error',
        kind: 'rate_limit',
        status: 429,
      })
      await bench.turn(identity, 'turn-2', 'plain')
      expect(bench.turnOf(identity, 'turn-2')?.error).toBeUndefined()
    })

    line('E5 reports the tokens of a turn', async () => {
      const { identity } = await bench.open('side-e5')
      await bench.turn(identity, 'turn-1', 'plain')
      await bench.until('usage arrives', () => bench.turnOf(identity, 'turn-1')?.usage !== undefined)
      expect(bench.turnOf(identity, 'turn-1')?.usage?.promptTokens).toBeGreaterThan(0)
      expect(bench.turnOf(identity, 'turn-1')?.usage?.completionTokens).toBeGreaterThan(0)
    })
  })
}

/** A controller over the rig's provider and what it published. */
interface Bench<S extends Source> {
  readonly rig: ProviderRig<S>
  readonly controller: SideController<S>
  readonly reports: readonly ControllerReport[]
  identity(source: S, sideSessionId: string): SideIdentity
  request(source: S, sideSessionId: string): OpenRequest<S>
  open(sideSessionId: string, overrides?: Partial<OpenCommand<S>>): ReturnType<SideController<S>['open']>
  send(side: SideIdentity, turnId: string, text?: string): Promise<unknown>
  /** Sends a turn and waits until it ended as it should. */
  turn(
    side: SideIdentity,
    turnId: string,
    script: ScriptName,
    text?: string,
    outcome?: 'completed' | 'failed',
  ): Promise<void>
  /** Waits until the turn asks; the prompt as it is now, and a right answer to it. */
  asked(
    side: SideIdentity,
    turnId: string,
  ): Promise<{ requestId: string; answer: unknown; pending(): InteractionPatch | undefined }>
  of(sideSessionId: string): readonly Envelope[]
  transcript(side: SideIdentity): Transcript
  turnOf(side: SideIdentity, turnId: string): TranscriptTurn | undefined
  text(side: SideIdentity, turnId: string): string
  pauses(count: number): Promise<void>
  until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>
}

function createBench<S extends Source>(rig: ProviderRig<S>, patience: number): Bench<S> {
  const envelopes: Envelope[] = []
  const reports: ControllerReport[] = []
  const controller = createController<S>({
    provider: rig.provider,
    clock: rig.clock,
    brief: ({ identity, kind }) => `BOUNDARY ${identity.sideSessionId} ${kind}`,
    isCanonical: () => false,
    report: (report) => reports.push(report),
  })
  controller.subscribe((envelope) => envelopes.push(envelope))

  const identity = (source: S, sideSessionId: string): SideIdentity => ({
    workspaceId: source.workspaceId,
    sourceSessionId: source.sessionId,
    sideSessionId,
    requestId: `${sideSessionId}-request`,
  })
  const of = (sideSessionId: string): Envelope[] => envelopes.filter((one) => one.sideSessionId === sideSessionId)
  const transcript = (side: SideIdentity): Transcript =>
    of(side.sideSessionId).reduce<Transcript>((view, event: SideEvent) => project(view, event), EMPTY_TRANSCRIPT)

  const bench: Bench<S> = {
    rig,
    controller,
    reports,
    identity,
    request: (source, sideSessionId) => ({
      source,
      side: identity(source, sideSessionId),
      kind: 'side',
      boundary: `BOUNDARY ${sideSessionId}`,
      signal: new AbortController().signal,
    }),
    async open(sideSessionId, overrides) {
      const source = overrides?.source ?? (await rig.source())
      return controller.open({ source, side: identity(source, sideSessionId), kind: 'side', ...overrides })
    },
    send(side, turnId, text = 'What does this mean?') {
      const content: readonly ContentPart[] = [{ type: 'text', text }]
      return controller.send(side, { turnId, clientSubmitId: `${turnId}-submit`, content })
    },
    async turn(side, turnId, script, text, outcome = script === 'error-429' ? 'failed' : 'completed') {
      rig.script(script)
      await bench.send(side, turnId, text)
      await bench.until(`${turnId} settles`, () => bench.turnOf(side, turnId)?.phase === 'settled')
      expect(bench.turnOf(side, turnId)?.outcome).toBe(outcome)
    },
    async asked(side, turnId) {
      const pending = (): InteractionPatch | undefined => bench.turnOf(side, turnId)?.interactions[0]
      await bench.until(`${turnId} asks`, () => pending()?.status === 'pending')
      const prompt = pending() as InteractionPatch
      return { requestId: prompt.requestId, answer: rig.answer?.(prompt) ?? { decision: 'allow' }, pending }
    },
    of,
    transcript,
    turnOf: (side, turnId) => transcript(side).turns.find((turn) => turn.turnId === turnId),
    text: (side, turnId) =>
      (bench.turnOf(side, turnId)?.items ?? []).map((item) => (item.kind === 'text' ? item.text : '')).join(''),
    async pauses(count) {
      for (let index = 0; index < count; index += 1) await rig.pause()
    },
    async until(what, isSo) {
      for (let waited = 0; waited < patience; waited += 1) {
        if (await isSo()) return
        await rig.pause()
      }
      throw new Error(`waited in vain until ${what}`)
    },
  }
  return bench
}

/** A third-party plugin for tests: tells what the host's registries hold, and records what any plugin would see.
 *  `/probe <text>` answers with ids and counts; recorded events are searched for <text>, never handed out. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

export const name = 'sidemind-test-probe'
export const inject = ['commands', 'agents', 'sessions']

export function apply(ctx) {
  let seen = []
  const measured = new Set()
  watchMeter(ctx, (session) => measured.add(session.id))
  ctx.on('session/event', (session, event) => seen.push({ id: session.id, text: JSON.stringify(event) }))
  ctx.on('session/created', (session) => seen.push({ id: session.id, text: 'created' }))
  for (const event of [
    'agent/created',
    'agent/disposed',
    'agent/status',
    'agent/error',
    'agent/inbox/inserted',
    'agent/inbox/claimed',
  ]) {
    ctx.on(event, ({ agent, message }) =>
      seen.push({ id: agent.id, text: `${event} ${JSON.stringify(message ?? null)}` }),
    )
  }
  ctx.on('agent/pre-step', ({ agent, messages }, next) => {
    seen.push({ id: agent.id, text: JSON.stringify(messages) })
    return next()
  })
  ctx.commands.register({
    name: 'probe',
    description: 'Tells what the host holds.',
    input: { hint: 'text to search for' },
    recordInput: false,
    handler: async ({ rawInput }) => {
      const wanted = rawInput.trim()
      const listeners = Object.values(ctx.events._hooks).reduce((sum, hooks) => sum + [...hooks].length, 0)
      const answer = {
        agents: ctx.agents.list().map((agent) => agent.id),
        sessions: ctx.sessions.list().map((session) => session.id),
        listeners,
        sawText: wanted !== '' && seen.some(({ text }) => text.includes(wanted)),
        measured: [...measured],
        sawSessions: [...new Set(seen.map(({ id }) => id))],
      }
      return { kind: 'success', text: JSON.stringify(answer) }
    },
  })
  ctx.commands.register({
    name: 'probe-heap',
    description: 'Collects garbage and tells what is left.',
    input: { hint: 'nothing' },
    recordInput: false,
    async handler() {
      seen = []
      let heapUsed = Infinity
      // What finalizers and compiled code that is thrown away leave behind goes in a later round.
      for (let round = 0; round < 8; round += 1) {
        collectGarbage()
        await new Promise((resolve) => setTimeout(resolve, 150))
        heapUsed = Math.min(heapUsed, process.memoryUsage().heapUsed)
      }
      const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
      return { kind: 'success', text: JSON.stringify({ heapUsed, timers }) }
    },
  })
  ctx.commands.register({
    name: 'probe-nothing',
    description: 'Does nothing.',
    input: { hint: 'nothing' },
    recordInput: false,
    handler: async () => ({ kind: 'success', text: 'nothing' }),
  })
}

/** Tells of each session whose size the host's token meter is asked for. */
function watchMeter(ctx, tell) {
  ctx.inject(['tokenMeter'], (inner) => {
    const meter = inner.tokenMeter[Symbol.for('cordis.original')] ?? inner.tokenMeter
    const original = meter.measure
    meter.measure = function measure(session, ...rest) {
      tell(session)
      return original.call(this, session, ...rest)
    }
    inner.effect(() => () => delete meter.measure)
  })
}

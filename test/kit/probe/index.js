/** A third-party plugin for tests: tells what the host's registries hold, and records what any plugin would see.
 *  `/probe <text>` answers with ids and counts; recorded events are searched for <text>, never handed out. */

export const name = 'sidemind-test-probe'
export const inject = ['commands', 'agents', 'sessions']

export function apply(ctx) {
  const seen = []
  ctx.on('session/event', (session, event) => seen.push({ id: session.id, text: JSON.stringify(event) }))
  ctx.on('session/created', (session) => seen.push({ id: session.id, text: 'created' }))
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
        sawSessions: [...new Set(seen.map(({ id }) => id))],
      }
      return { kind: 'success', text: JSON.stringify(answer) }
    },
  })
}

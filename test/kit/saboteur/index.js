/** A third-party plugin for tests that breaks the host around a side: `/sabotage <what> <agent id or count>`.
 *  `/sabotage log <word>` answers with the lines of the host's log that hold the word. Every trap springs once, at the next child agent (one whose id is not a conversation's). */

export const name = 'sidemind-test-saboteur'
export const inject = ['commands', 'agents']

const EFFECT = Symbol.for('cordis.effect')
const ORIGINAL = Symbol.for('cordis.original')

export function apply(ctx) {
  /** What keeps exactly this agent alive, whoever owns it. */
  function lifecycleOf(agentId) {
    const label = `agentLoop.lifecycle(${agentId})`
    for (const runtime of ctx.registry.values())
      for (const fiber of runtime.fibers)
        for (const undo of fiber._disposables) if (undo[EFFECT]?.label === label) return undo
    throw new Error(`nothing keeps ${agentId} alive`)
  }

  const agents = ctx.agents[ORIGINAL] ?? ctx.agents
  const create = agents.create
  let trap = null
  agents.create = function (options) {
    const original = (changed) => Reflect.apply(create, this, [changed])
    if (trap === null || options.sessionId.startsWith('session-')) return original(options)
    const spring = trap
    trap = null
    return spring(options, original)
  }
  ctx.effect(() => () => delete agents.create, 'saboteur: create')

  const logged = []
  ctx.effect(
    () => ctx.logger.exporter({ export: ({ args }) => void logged.push(args.map(String).join(' ')) }),
    'saboteur: log',
  )

  const acts = {
    /** Ends an agent as the host does when its owner is unloaded. */
    dispose: (agentId) => lifecycleOf(agentId)(),
    /** Ends an agent before the next child is made, or inside the window in which it is. */
    'dispose-before-child'(agentId) {
      trap = async (options, original) => {
        await lifecycleOf(agentId)()
        return original(options)
      }
    },
    'dispose-inside-child'(agentId) {
      trap = (options, original) => {
        const { setup } = options
        return original({
          ...options,
          setup(...args) {
            const done = setup.apply(this, args)
            lifecycleOf(agentId)()
            return done
          },
        })
      }
    },
    /** The next child's dispose rejects so often and leaves it where it is. */
    'refuse-dispose'(count) {
      trap = async (options, original) => {
        const handle = await original(options)
        let left = Number(count)
        return {
          ...handle,
          async dispose() {
            if (left > 0) {
              left -= 1
              throw new Error('sabotaged dispose')
            }
            return handle.dispose()
          },
        }
      }
    },
    /** The next child's dispose takes it away and rejects all the same, each time. */
    'reject-dispose'() {
      trap = async (options, original) => {
        const handle = await original(options)
        return {
          ...handle,
          async dispose() {
            await handle.dispose()
            throw new Error('sabotaged dispose')
          },
        }
      }
    },
  }

  ctx.commands.register({
    name: 'sabotage',
    description: 'Breaks the host around a side.',
    input: { hint: 'what, and an agent id or a count' },
    recordInput: false,
    async handler({ rawInput }) {
      const [what = '', subject = ''] = rawInput.trim().split(' ')
      if (what === 'log')
        return { kind: 'success', text: JSON.stringify(logged.filter((line) => line.includes(subject))) }
      await acts[what](subject)
      return { kind: 'success', text: 'done' }
    },
  })
}

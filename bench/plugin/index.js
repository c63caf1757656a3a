/** The other half of the bench, inside the host: long conversations to ask beside, and the baseline to be compared with.
 *  `/bench-seed <turns>` makes a conversation of that many turns out of the one it is typed in.
 *  `/bench-bare <question>` asks the bare child: the fork that any plugin makes in twenty lines, stored like every session.
 *  `/bench-close <id>` ends it. `/bench-noop` does nothing.
 *  `/bench-watch` collects garbage and tells of each agent that was created since it was typed before: how long that took, and
 *  how much more the heap held when it was done. `/bench-profile` starts a profile of the host; typed again, it tells how long
 *  our code ran meanwhile, and how long `agents.create` did. */
import { randomUUID } from 'node:crypto'
import { Session as Inspector } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

export const name = 'sidemind-bench'
export const inject = ['agents', 'commands', 'sessions', 'systemPrompt', 'tools']

export function apply(ctx) {
  const children = new Map()

  command('bench-noop', async () => 'done')

  let creations = []
  let heap = 0
  watchCreation(ctx, ({ ms, used }) => creations.push({ ms, heap: used - heap }))

  command('bench-watch', async () => {
    const told = JSON.stringify(creations)
    creations = []
    collectGarbage()
    heap = process.memoryUsage().heapUsed
    return told
  })

  let inspector = null
  command('bench-profile', async () => {
    if (inspector === null) {
      inspector = new Inspector()
      inspector.connect()
      await inspector.post('Profiler.enable')
      await inspector.post('Profiler.setSamplingInterval', { interval: 200 })
      await inspector.post('Profiler.start')
      return 'started'
    }
    const { profile } = await inspector.post('Profiler.stop')
    inspector.disconnect()
    inspector = null
    return JSON.stringify(spent(profile))
  })

  command('bench-seed', async ({ agent, rawInput }) => {
    const seed = grow(agent.session.events, Number(rawInput.trim()))
    const handle = await ctx.agents.create({
      sessionId: randomUUID(),
      meta: { cwd: agent.session.header.cwd, ...presetOf(agent) },
      agentOptions: agent.options,
      seed,
      setup: (made) => compose(made, agent),
    })
    return handle.agent.id
  })

  command('bench-bare', async ({ agent: parent, rawInput }) => {
    const { events } = parent.session
    const seed = events.slice(0, events.findLast((event) => event.type === 'turn/end').seq + 1)
    const handle = await ctx.agents.create({
      sessionId: randomUUID(),
      meta: {
        cwd: parent.session.header.cwd,
        parentSession: parent.id,
        origin: 'subagent',
        delegationDepth: 1,
        seedLength: seed.length,
        ...presetOf(parent),
      },
      agentOptions: parent.options,
      seed,
      setup(child) {
        compose(child, parent)
        child.tools.restrict({ allow: [] })
        child.systemPrompt.section({ name: 'bench', order: 900, text: 'This is a side conversation. Only answer.' })
      },
    })
    const { id } = handle.agent
    children.set(id, handle)
    const content = [{ type: 'text', text: rawInput.slice(1) }]
    handle.agent.followup({ id: randomUUID(), role: 'user', content, source: { kind: 'user' } })
    return id
  })

  command('bench-close', async ({ rawInput }) => {
    const id = rawInput.trim()
    await children.get(id).dispose()
    children.delete(id)
    return 'closed'
  })

  /** The tools and prompt sections that come with an agent's preset. */
  function compose(made, agent) {
    ctx.get('agentPresets')?.composeFrom?.(made, agent.ctx)
  }

  function presetOf(agent) {
    const agentPreset = ctx.get('agentPresets')?.composedPreset?.(agent.ctx)
    return agentPreset === undefined ? {} : { agentPreset }
  }

  function command(commandName, answer) {
    ctx.commands.register({
      name: commandName,
      description: 'For the bench.',
      input: { hint: 'see bench/plugin' },
      recordInput: false,
      handler: async (invocation) => ({ kind: 'success', text: await answer(invocation) }),
    })
  }
}

/** Measures `agents.create`, whoever calls it: from the call to the published agent. */
function watchCreation(ctx, tell) {
  const agents = ctx.agents[Symbol.for('cordis.original')] ?? ctx.agents
  const original = agents.create
  agents.create = async function create(options) {
    const from = performance.now()
    const handle = await original.call(this, options)
    tell({ ms: performance.now() - from, used: process.memoryUsage().heapUsed })
    return handle
  }
  ctx.effect(() => () => delete agents.create)
}

const OURS = /sidemind-for-dsh\/dist\//
const CREATE = 'createAgent'

/** Milliseconds in which our code ran itself (what it calls of the language counts, what it calls of the host does not), in
 *  which it ran within the host's making of an agent, and which that took in all. */
function spent({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const node of nodes) for (const child of node.children ?? []) byId.get(child).parent = node
  let ours = 0
  let create = 0
  for (const [at, id] of samples.entries()) {
    const stack = []
    for (let node = byId.get(id); node !== undefined; node = node.parent) stack.push(node.callFrame)
    const ms = timeDeltas[at] / 1_000
    const isOurs = OURS.test(stack.find(({ url }) => url !== '' && !url.startsWith('node:'))?.url ?? '')
    if (isOurs) ours += ms
    else if (stack.some(({ functionName }) => functionName === CREATE)) create += ms
  }
  return { ours, create }
}

/** As much as a model takes with room to spare: a conversation that were counted as larger would not be inherited whole. */
const MOST_TOKENS = 600_000

/** The log with its last turn repeated until it has `turns`, in the host's own shape: whole turns, ids and sequence numbers of
 *  their own, and a token count that grows with them, up to `MOST_TOKENS`. */
function grow(events, turns) {
  const end = events.findLastIndex((event) => event.type === 'turn/end')
  const start = events.findLastIndex((event, index) => index < end && event.type === 'turn/end') + 1
  const log = events.slice(0, start).map((event) => structuredClone(event))
  const model = events
    .slice(start, end + 1)
    .filter(({ type }) => !type.startsWith('request/') && !type.startsWith('session/') && !type.startsWith('command/'))
  const first = events[end].data.turn
  const counted = model.reduce((sum, event) => sum + JSON.stringify(event.data).length, 0) / 2 / 4
  const perTurn = Math.min(counted, MOST_TOKENS / turns)
  for (let turn = first; turn <= turns; turn += 1) {
    const shift = new Map(model.map((event, index) => [event.seq, log.length + index]))
    for (const event of model) log.push(copy(event, turn, shift, Math.round(turn * perTurn)))
  }
  return log
}

/** One event as turn `turn` would have written it. */
function copy(event, turn, shift, tokens) {
  const mark = turn.toString(16).padStart(8, '0')
  const text = JSON.stringify(event)
    // Ids of messages and of tool calls.
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g, `${mark}$1`)
    .replaceAll(/call_[0-9a-f]{8}/g, `call_${mark}`)
  const made = JSON.parse(text)
  made.seq = shift.get(event.seq)
  if (made.data.turn !== undefined) made.data.turn = turn
  if (made.sourceEventSeqs) made.sourceEventSeqs = made.sourceEventSeqs.map((seq) => shift.get(seq))
  const usage = made.data.usage ?? made.data.chunk?.usage
  if (usage) usage.inputTokens = tokens
  return made
}

/** The other half of the bench, inside the host: long conversations to ask beside, and the baseline to be compared with.
 *  `/bench-seed <turns> <every>` makes a conversation of that many turns out of the one it is typed in, with a tool call in every
 *  so manieth of them (1, if left out).
 *  `/bench-bare <question>` asks the bare child: the fork that any plugin makes in twenty lines, stored like every session.
 *  `/bench-close <id>` ends it. `/bench-noop` does nothing.
 *  `/bench-watch` collects garbage and tells of each agent that was created since it was typed before: how long that took, and
 *  how much more the heap held when it was done. `/bench-profile` starts a profile of the host; typed again, it tells how long
 *  our code ran meanwhile, and how long `agents.create` did, and writes the profile into the file that is named behind it. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
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
  command('bench-profile', async ({ rawInput }) => {
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
    const file = rawInput.trim()
    if (file !== '') await writeFile(file, JSON.stringify(profile))
    return JSON.stringify(spent(profile))
  })

  command('bench-seed', async ({ agent, rawInput }) => {
    const [turns, every = 1] = rawInput.trim().split(' ').map(Number)
    const seed = grow(agent.session.events, turns, every)
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
 *  their own, and a token count that grows with them, up to `MOST_TOKENS`. With `every` above 1 only each so manieth turn is
 *  the last one again, and those between are the last one without a tool call. */
function grow(events, turns, every) {
  const ends = events.flatMap((event, index) => (event.type === 'turn/end' ? [index + 1] : []))
  const spans = ends.map((end, at) => events.slice(ends[at - 1] ?? 0, end))
  const repeated = [spans.at(-1), spans.findLast((span) => !span.some(({ type }) => type === 'tool/call'))].map(
    (span) => span?.filter(({ type }) => !/^(request|session|command)\//.test(type)),
  )
  const [whole, light = whole] = repeated
  const sizeOf = (span) => span.reduce((sum, event) => sum + JSON.stringify(event.data).length, 0) / 2 / 4
  const counted = sizeOf(whole) / every + sizeOf(light) * (1 - 1 / every)
  const perTurn = Math.min(counted, MOST_TOKENS / turns)
  const log = events.slice(0, ends.at(-2)).map((event) => structuredClone(event))
  for (let turn = ends.length; turn <= turns; turn += 1) {
    const model = turn % every === 0 ? whole : light
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

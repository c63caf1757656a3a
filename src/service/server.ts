/** The service over HTTP: guard, validation by the route table, and one place where errors become answers. */

import { OpenAPIHono } from '@hono/zod-openapi'
import { HTTPException } from 'hono/http-exception'
import { bodyLimit } from 'hono/body-limit'
import type { Context, MiddlewareHandler } from 'hono'
import type { SideIdentity, Source } from '../core/contract.ts'
import { SideError, toSideError, type SideErrorCode } from '../core/errors.ts'
import { createFeed, type Feed } from './feed.ts'
import { guard } from './guard.ts'
import type { ServiceParts, ThreadView } from './ports.ts'
import { ROUTES, STATUS } from './routes.ts'
import { sentenceFor } from './sentences.ts'
import { beginAt, serveFeeds, wholeOf, type FeedSource, type Message } from './stream.ts'

export interface ServiceOptions {
  readonly token: string
  readonly port: () => number
  /** Streams that may be read at once. */
  readonly streams?: number
  /** Serves the page; what it does not know is a 404. */
  readonly page?: MiddlewareHandler
}

/** Streams that may be read at once when nothing else is said. */
const STREAMS = 256

export interface Service {
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** Ends every stream. The controller is its owner's. */
  close(): void
}

/** Question (100 kB, escaped at worst twofold) and what stands around it. */
const BODY_BYTES = 512 * 1024
/** Events kept per side for a client that comes back, characters. */
const KEPT_CHARS = 8_000_000
/** Streams of ended sides that can still be read to their end. */
const ENDED_KEPT = 64

/** Builds the service. `parts.controller` and `parts.threads` stay their owner's. */
export function createService<S extends Source>(parts: ServiceParts<S>, options: ServiceOptions): Service {
  const { controller, threads } = parts
  const closing = new AbortController()
  const sides = new Map<string, Feed>()
  const feeds = new Map<string, Feed>()
  const ended: string[] = []
  let streams = 0

  const unsubscribe = controller.subscribe((envelope) => {
    const key = keyOf(envelope)
    let feed = sides.get(key)
    // A new side of an id that was used before begins at 1 again.
    if (feed === undefined || envelope.sequence === 1) sides.set(key, (feed = createFeed(KEPT_CHARS)))
    feed.append(envelope)
    if (feed.transcript.lifecycle !== 'closed' && feed.transcript.lifecycle !== 'expired') return
    ended.push(key)
    if (ended.length <= ENDED_KEPT) return
    const oldest = ended.shift() ?? ''
    if (!ended.includes(oldest)) sides.delete(oldest)
  })

  /** The feed of a thread that runs here. */
  function feedOf(threadId: string): Feed {
    const known = feeds.get(threadId)
    // One that ran here, was lost and runs again begins anew.
    if (known !== undefined && known.transcript.lifecycle !== 'expired') return known
    const feed = createFeed(KEPT_CHARS)
    threads.subscribe(threadId, (event) => feed.append(event))
    feeds.set(threadId, feed)
    return feed
  }

  const app = new OpenAPIHono({
    defaultHook: (result, context) => (result.success ? undefined : problem(context, 'invalid_request')),
  })
  app.onError((error, context) => {
    if (error instanceof HTTPException && error.status < 500) return problem(context, 'invalid_request')
    return problem(context, toSideError(error).code)
  })
  app.notFound((context) => problem(context, 'not_found'))
  if (options.page !== undefined) app.use('/t/*', options.page)
  app.use('/v1/*', guard(options))
  app.use('/v1/*', bodyLimit({ maxSize: BODY_BYTES, onError: (context) => problem(context, 'invalid_request') }))

  app.openapi(ROUTES.status, (context) => context.json({ version: parts.version, ...threads.status }, 200))
  app.openapi(ROUTES.resolve, async (context) => {
    const source = await capture(context.req.valid('json').source)
    const capabilities = await controller.capabilities(source)
    const { inheritedTurns, inheritedTokens, liveTurn } = source
    return context.json({ capabilities, inheritedTurns, inheritedTokens, liveTurn: liveTurn !== null }, 200)
  })
  app.openapi(ROUTES.open, async (context) => {
    const { source: ref, sideSessionId, requestId, kind, route } = context.req.valid('json')
    const source = await capture(ref)
    const { workspaceId, sourceSessionId } = ref
    const side = { workspaceId, sourceSessionId, sideSessionId, requestId }
    const wished = route === undefined ? undefined : { ...route, ...effortOf(route) }
    const receipt = await controller.open({
      source,
      side,
      kind,
      signal: context.req.raw.signal,
      ...(wished === undefined ? {} : { route: plainRoute(wished) }),
    })
    const { inheritedTurns, inheritedTokens, liveTurn, capturedAt } = source
    const facts = {
      inheritedTurns,
      inheritedTokens,
      liveDigest: liveTurn !== null,
      forkedAt: capturedAt,
      route: wished ?? threads.routeOf(source),
    }
    const { providerSessionId, capabilities, sequence } = receipt
    return context.json({ side, providerSessionId, capabilities, sequence, facts }, 200)
  })
  app.openapi(ROUTES.send, async (context) => {
    const { side, turnId, clientSubmitId, text } = context.req.valid('json')
    const content = [{ type: 'text' as const, text }]
    return context.json(await controller.send(side, { turnId, clientSubmitId, content }), 200)
  })
  app.openapi(ROUTES.cancel, async (context) => {
    const { side, turnId } = context.req.valid('json')
    return context.json(await controller.cancel(side, turnId), 200)
  })
  app.openapi(ROUTES.respond, async (context) => {
    const { side, turnId, requestId, response } = context.req.valid('json')
    await controller.respond(side, turnId, requestId, response)
    return context.json({}, 200)
  })
  app.openapi(ROUTES.close, async (context) => {
    const { side, keepForMs } = context.req.valid('json')
    return context.json(await controller.close(side, keepForMs === undefined ? {} : { keepForMs }), 200)
  })
  app.openapi(ROUTES.reopen, async (context) => {
    await controller.reopen(context.req.valid('json').side)
    return context.json({}, 200)
  })
  app.openapi(ROUTES.touch, (context) => {
    const { side, visible } = context.req.valid('json')
    if (!controller.touch(side, visible)) throw new SideError('expired', `no side ${side.sideSessionId}`)
    return context.json({}, 200)
  })
  app.openapi(ROUTES.sideEvents, (context) => {
    const { after, ...side } = context.req.valid('query')
    const admitted = admit()
    const source = sideSource(side, after)
    if (source !== null) return serveFeeds(context, [source], { ...line(), onEnd: admitted })
    admitted()
    throw new SideError('expired', `side ${side.sideSessionId} is gone, or its events are not kept`)
  })
  app.openapi(ROUTES.events, (context) => {
    const wanted = context.req.valid('json')
    const admitted = admit()
    const first: Message[] = [{ topic: 'stream.open', data: {} }]
    const sources: FeedSource[] = []
    for (const { side, after } of wanted.sides) {
      const source = sideSource(side, after)
      if (source !== null) sources.push(source)
      else first.push({ topic: 'agent.side.refused', data: { ...addressOf(side), code: 'expired' } })
    }
    for (const { threadId, after } of wanted.threads) {
      const source = threadSource(threadId, after)
      if (source !== null) sources.push(source)
      else first.push({ topic: 'thread.refused', data: { threadId, code: 'not_found' } })
    }
    return serveFeeds(context, sources, { ...line(), first, onEnd: admitted })
  })

  app.openapi(ROUTES.listThreads, async (context) => context.json({ threads: [...(await threads.list())] }, 200))
  app.openapi(ROUTES.startThread, async (context) =>
    context.json(thread(await threads.start(context.req.valid('json').cwd)), 200),
  )
  app.openapi(ROUTES.attachThread, async (context) =>
    context.json(thread(await threads.attach(context.req.valid('param').threadId)), 200),
  )
  app.openapi(ROUTES.readThread, (context) =>
    context.json(thread(threads.read(context.req.valid('param').threadId)), 200),
  )
  app.openapi(ROUTES.askThread, async (context) => {
    const { turnId, text } = context.req.valid('json')
    await threads.ask(context.req.valid('param').threadId, turnId, text)
    return context.json({}, 200)
  })
  app.openapi(ROUTES.interruptThread, async (context) => {
    await threads.interrupt(context.req.valid('param').threadId, context.req.valid('json').turnId)
    return context.json({}, 200)
  })
  app.openapi(ROUTES.answerThread, async (context) => {
    const { requestId, decision } = context.req.valid('json')
    await threads.answer(context.req.valid('param').threadId, requestId, decision)
    return context.json({}, 200)
  })
  app.openapi(ROUTES.threadEvents, (context) => {
    const { threadId } = context.req.valid('param')
    const { after } = context.req.valid('query')
    const admitted = admit()
    const source = threadSource(threadId, after)
    if (source !== null) return serveFeeds(context, [source], { ...line(), onEnd: admitted })
    admitted()
    throw new SideError('not_found', `no thread ${threadId} runs here`)
  })

  const line = () => ({ first: [], closed: closing.signal, clock: parts.clock })

  /** Holds the side while it is read. Null when it is unknown; one whose events are no longer kept is ended by that. */
  function sideSource(side: SideIdentity, after: number | undefined): FeedSource | null {
    const feed = sides.get(keyOf(side))
    if (feed === undefined) return null
    const begin = beginAt(feed, after)
    if (begin === null) {
      void controller.expire(side, 'sequence_gap').catch(() => undefined)
      return null
    }
    const names = { topic: 'agent.side.updated', snapshotTopic: 'agent.side.snapshot' }
    return { feed, begin, ...names, address: addressOf(side), release: controller.hold(side) }
  }

  /** What is no longer kept of a thread comes again as a snapshot. */
  function threadSource(threadId: string, after: number | undefined): FeedSource | null {
    let feed: Feed
    try {
      feed = feedOf(threads.read(threadId).threadId)
    } catch (error) {
      if (toSideError(error).code === 'not_found') return null
      throw error
    }
    const begin = beginAt(feed, after) ?? wholeOf(feed)
    const names = { topic: 'thread.updated', snapshotTopic: 'thread.snapshot' }
    return { feed, begin, ...names, address: { threadId }, release: () => {} }
  }

  /** Takes a place among the streams; the result gives it back. */
  function admit(): () => void {
    if (closing.signal.aborted || streams >= (options.streams ?? STREAMS))
      throw new SideError('stream_unavailable', `${streams} streams are read`)
    streams += 1
    return () => {
      streams -= 1
    }
  }

  async function capture(ref: Parameters<typeof threads.capture>[0]): Promise<S> {
    if (ref.metadata !== undefined && ref.metadata.threadId !== ref.sourceSessionId)
      throw new SideError('invalid_request', 'the metadata is of another thread')
    return threads.capture(ref)
  }

  function thread(view: ThreadView) {
    const { effort, ...rest } = view
    return { ...rest, ...(effort === undefined ? {} : { effort }), sequence: feedOf(view.threadId).last }
  }

  return {
    fetch: app.fetch,
    close() {
      unsubscribe()
      closing.abort()
    },
  }
}

function problem(context: Context, code: SideErrorCode) {
  const message = sentenceFor(code, context.req.header('accept-language'))
  return context.json({ code, message }, STATUS[code])
}

type Address = Omit<SideIdentity, 'requestId'>

function keyOf(side: Address): string {
  return JSON.stringify([side.workspaceId, side.sourceSessionId, side.sideSessionId])
}

function addressOf({ workspaceId, sourceSessionId, sideSessionId }: Address) {
  return { workspaceId, sourceSessionId, sideSessionId }
}

function effortOf(route: { readonly effort?: string | undefined }): { readonly effort?: string } {
  return route.effort === undefined ? {} : { effort: route.effort }
}

function plainRoute({ provider, model, effort }: { provider: string; model: string; effort?: string | undefined }) {
  return { provider, model, ...effortOf({ effort }) }
}

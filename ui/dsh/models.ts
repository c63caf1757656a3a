/** The host's list of models, as its own picker reads it. Reads only: choosing through the host would change main's model
 *  and the default of new conversations (K40). */

import type { ModelCatalog, ModelOffer, ModelRoute } from '../../src/wire/index.ts'
import { member, type ClientContext } from './seams.ts'

export type ReadModels = (sessionId: string) => Promise<ModelCatalog>

const EMPTY: ModelCatalog = { main: null, providers: [] }

/** Reads the models of a conversation where the host tells them: its page API (0.1), or its session remote (later ones).
 *  What it cannot read is left out; nothing at all means no picker. */
export function modelsOf(ctx: ClientContext): ReadModels {
  return async (sessionId) => {
    const sessions = member(member(service(ctx, 'connection'), 'api'), 'sessions')
    const models = member(sessions, 'models')
    if (typeof models === 'function') {
      const reply: unknown = await Reflect.apply(models, sessions, [{ sessionId }])
      return catalog(valueOf(member(reply, 'result')))
    }
    const session = member(service(ctx, 'remote'), 'session') ?? service(ctx, 'remote.session')
    const read = member(session, 'modelCatalog')
    if (typeof read !== 'function') return EMPTY
    return catalog(valueOf(await Reflect.apply(read, session, [])))
  }
}

/** The catalog in a host's words. 0.1 names main's next route `current`; later hosts only the default, which is not it. */
function catalog(value: unknown): ModelCatalog {
  return {
    main: route(member(value, 'current')),
    providers: list(member(value, 'groups')).flatMap((group) => {
      const provider = text(member(group, 'id'))
      const models = list(member(group, 'models')).flatMap(offer)
      return provider === '' || models.length === 0
        ? []
        : [{ provider, name: text(member(group, 'name')) || provider, models }]
    }),
  }
}

function offer(value: unknown): ModelOffer[] {
  const model = text(member(value, 'id'))
  if (model === '') return []
  const reasoning = member(value, 'reasoning')
  const defaultEffort = text(member(reasoning, 'defaultEffort'))
  const efforts = list(member(reasoning, 'efforts')).flatMap((effort) => {
    const id = text(member(effort, 'id'))
    return id === '' ? [] : [{ id, name: text(member(effort, 'name')) || id }]
  })
  return [
    {
      model,
      name: text(member(value, 'name')) || model,
      efforts,
      ...(defaultEffort === '' ? {} : { defaultEffort }),
    },
  ]
}

function route(value: unknown): ModelRoute | null {
  const provider = text(member(value, 'provider'))
  const model = text(member(value, 'model'))
  const effort = text(member(value, 'reasoningEffort'))
  if (provider === '' || model === '') return null
  return { provider, model, ...(effort === '' ? {} : { effort }) }
}

function valueOf(result: unknown): unknown {
  if (member(result, 'ok') !== true) throw new Error('the host told no models')
  return member(result, 'value')
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function service(ctx: ClientContext, name: string): unknown {
  try {
    return ctx.get(name)
  } catch {
    return undefined
  }
}

/** Models in words: what a route is called, and what a change of it costs. Pure. */

import type { ModelCatalog, ModelOffer, ModelRoute } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'

/** The offer behind a route, or null for one that the host does not list. */
export function offerOf(catalog: ModelCatalog, route: ModelRoute | null): ModelOffer | null {
  if (route === null) return null
  const group = catalog.providers.find(({ provider }) => provider === route.provider)
  return group?.models.find(({ model }) => model === route.model) ?? null
}

/** Name of a route's model, and of its effort where it has one. */
export function routeWords(
  catalog: ModelCatalog,
  route: ModelRoute,
): { readonly model: string; readonly effort: string } {
  const offer = offerOf(catalog, route)
  const effort = route.effort ?? offer?.defaultEffort ?? ''
  return {
    model: offer?.name ?? route.model,
    effort: offer?.efforts.find(({ id }) => id === effort)?.name ?? effort,
  }
}

/** `route` with another model; its effort goes along where that model has it. */
export function withModel(route: ModelRoute | null, provider: string, offer: ModelOffer): ModelRoute {
  const effort = offer.efforts.find(({ id }) => id === route?.effort)?.id
  return { provider, model: offer.model, ...(effort === undefined ? {} : { effort }) }
}

export function sameModel(a: ModelRoute | null, b: ModelRoute | null): boolean {
  return a !== null && b !== null && a.provider === b.provider && a.model === b.model
}

export function sameRoute(a: ModelRoute, b: ModelRoute | null): boolean {
  return sameModel(a, b) && a.effort === b?.effort
}

/** What a change from one route to another costs, as a sentence; '' when nothing. Another provider also gets everything
 *  that was inherited; another model reads it without the prompt cache. An effort alone costs nothing. */
export function costText(catalog: ModelCatalog, from: ModelRoute | null, to: ModelRoute | null, t: Translate): string {
  if (from === null || to === null || sameModel(from, to)) return ''
  if (from.provider === to.provider) return t('model.costCache')
  const name = catalog.providers.find(({ provider }) => provider === to.provider)?.name ?? to.provider
  return t('model.costProvider', { name })
}

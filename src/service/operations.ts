/** What every operation takes and answers, as types of the route table. The package's declarations hold them written out. */

import type { z } from '@hono/zod-openapi'
import type { ROUTES } from './routes.ts'

type Routes = typeof ROUTES
type Names = Exclude<keyof Routes, 'sideEvents' | 'threadEvents' | 'events'>

type BodyOf<R> = R extends {
  request: { body: { content: { 'application/json': { schema: infer S extends z.ZodType } } } }
}
  ? { readonly body: z.input<S> }
  : unknown
type ParamsOf<R> = R extends { request: { params: infer S extends z.ZodType } }
  ? { readonly params: z.input<S> }
  : unknown
type AnswerOf<R> = R extends {
  responses: { 200: { content: { 'application/json': { schema: infer S extends z.ZodType } } } }
}
  ? z.output<S>
  : never

export type Operations = {
  readonly [O in Names]: {
    readonly input: BodyOf<Routes[O]> & ParamsOf<Routes[O]>
    readonly output: AnswerOf<Routes[O]>
  }
}

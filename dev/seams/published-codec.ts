/** The published codec of `remote.session.follow`: what a host that has it would let through. For tests. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Codec {
  parse(value: unknown): unknown
}

interface Descriptor {
  readonly id: string
  readonly parameters: readonly { readonly codec: { readonly schema: Codec } }[]
  readonly result: { readonly schema: Codec }
}

const PACKAGE = '@deepseek-ai/dsh-api-session-controller'

/** @returns the codecs of a follow request and of a follow frame; parsing drops what the protocol does not know. */
export async function publishedFollowCodec(): Promise<{ request: Codec; frame: Codec }> {
  const { resolve } = createRequire(join(import.meta.dirname, 'package.json'))
  const module: { TYPERT_REMOTE: { descriptors: readonly Descriptor[] } } = await import(
    pathToFileURL(resolve(`${PACKAGE}/remote`)).href
  )
  const follow = module.TYPERT_REMOTE.descriptors.find(({ id }) => id === `${PACKAGE}#session/follow`)
  const request = follow?.parameters[0]?.codec.schema
  if (follow === undefined || request === undefined) throw new Error('the published package has no session/follow')
  return { request, frame: follow.result.schema }
}

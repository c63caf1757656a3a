/** The part of the Codex app-server protocol that a side needs: messages in, decoded without trust. Pure.
 *  Lines are JSON without a `jsonrpc` member; both sides count their request ids on their own. */

/** One message of the wire by its kind. */
export type RpcMessage =
  | { readonly kind: 'response'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string }
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: Fields }
  | { readonly kind: 'notice'; readonly method: string; readonly params: Fields; readonly at: number | null }

/** An id as the other side chose it; it goes back unchanged. */
export type RpcId = number | string
export type Fields = Readonly<Record<string, unknown>>

/** The message in a line, or null when it is none. Never throws. */
export function decodeLine(line: string): RpcMessage | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  const message = fields(value)
  if (message === null) return null
  const { id, method } = message
  const params = fields(message['params']) ?? {}
  if (typeof method === 'string') {
    if (typeof id === 'number' || typeof id === 'string') return { kind: 'request', id, method, params }
    const at = message['emittedAtMs']
    return { kind: 'notice', method, params, at: typeof at === 'number' ? at : null }
  }
  if (typeof id !== 'number') return null
  const error = fields(message['error'])
  return error === null
    ? { kind: 'response', id, result: message['result'] }
    : { kind: 'failure', id, message: text(error['message']) }
}

/** Which thread a notice or a request speaks of; null when of none. */
export function threadOf(params: Fields): string | null {
  const id = params['threadId'] ?? fields(params['thread'])?.['id']
  return typeof id === 'string' && id !== '' ? id : null
}

/** `value` as a plain record, or null. */
export function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** `value` when it is a string, else ''. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** What `initialize` answered. */
export interface ServerFacts {
  /** `x.y.z`, or null when the server did not say it in a known way. */
  readonly version: string | null
  readonly codexHome: string
}

export function readServerFacts(result: unknown): ServerFacts {
  const answer = fields(result)
  const version = /^[^/]*\/(\d+\.\d+\.\d+)\S*( |$)/.exec(text(answer?.['userAgent']))?.[1] ?? null
  return { version, codexHome: text(answer?.['codexHome']) }
}

/** Oldest app-server in which a side leaves nothing behind: earlier ones write its questions into their log database. */
export const MINIMUM_VERSION = '0.155.0'

/** Whether `version` is at least MINIMUM_VERSION; an unknown one is not. */
export function isRecent(version: string | null): boolean {
  if (version === null) return false
  const [have, need] = [version, MINIMUM_VERSION].map((one) => one.split('.').map(Number)) as [number[], number[]]
  for (let at = 0; at < need.length; at += 1) {
    const difference = (have[at] ?? 0) - (need[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

/** What a fork or a start says it made. */
export interface ThreadFacts {
  readonly id: string
  readonly forkedFromId: string | null
  readonly ephemeral: boolean
  /** Where it is stored; null for nowhere. */
  readonly path: string | null
  readonly model: string
  readonly modelProvider: string
  readonly cwd: string
  readonly effort: string | null
  readonly approvalPolicy: string
  /** `readOnly`, `workspaceWrite`, `dangerFullAccess`, … */
  readonly sandbox: string
}

/** The facts in a `thread/start`, `thread/resume` or `thread/fork` answer; null when it has no thread. */
export function readThreadFacts(result: unknown): ThreadFacts | null {
  const answer = fields(result)
  const thread = fields(answer?.['thread'])
  const id = text(thread?.['id'])
  if (answer === null || thread === null || id === '') return null
  const { forkedFromId, path } = thread
  return {
    id,
    forkedFromId: typeof forkedFromId === 'string' ? forkedFromId : null,
    ephemeral: thread['ephemeral'] === true,
    // A missing path is not a promise that nothing is stored.
    path: path === null ? null : text(path) || 'unknown',
    model: text(answer['model']),
    modelProvider: text(answer['modelProvider']),
    cwd: text(answer['cwd']),
    effort: typeof answer['reasoningEffort'] === 'string' ? answer['reasoningEffort'] : null,
    approvalPolicy: text(answer['approvalPolicy']),
    sandbox: text(fields(answer['sandbox'])?.['type']),
  }
}

/** The id in an answer to `turn/start`, or in `turn/started` and `turn/completed`. */
export function turnIdOf(params: unknown): string {
  return text(fields(fields(params)?.['turn'])?.['id'])
}

/** The developer instructions that a source's live settings carry; undefined when the notice does not say. */
export function hostContextOf(params: Fields): string | undefined {
  const mode = fields(fields(params['threadSettings'])?.['collaborationMode'])
  const said = fields(mode?.['settings'])?.['developer_instructions']
  if (typeof said === 'string') return said
  return mode !== null && said === null ? '' : undefined
}

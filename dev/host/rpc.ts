/** The host's HTTP interface, as its own page calls it: `POST /api/<method>`. */

/** The host's answer to a call that it refused. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly method: string
  /** The host's error value as it came. */
  readonly answer: unknown

  constructor(method: string, answer: unknown) {
    super(`${method}: ${JSON.stringify(answer)}`)
    this.method = method
    this.answer = answer
  }
}

/** Calls one method. @throws {RpcError} when the host refuses or does not know it. */
export type Rpc = <T = unknown>(method: string, payload?: unknown) => Promise<T>

/** @param url a host's address without a slash at the end. */
export function connectRpc(url: string): Rpc {
  let count = 0
  return async <T>(method: string, payload: unknown = {}): Promise<T> => {
    const response = await fetch(`${url}/api/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'client-request', rpcId: `r${++count}`, method, payload }),
    })
    const text = await response.text()
    if (!response.ok) throw new RpcError(method, `${response.status} ${text}`)
    const { result }: { result: { ok: boolean; value: T; error?: unknown } } = JSON.parse(text)
    if (!result.ok) throw new RpcError(method, result.error ?? result)
    return result.value
  }
}

/** Opens a folder as a workspace and gives its id; the same one when it is open already. */
export async function openWorkspace(rpc: Rpc, path: string): Promise<string> {
  const { workspace } = await rpc<{ workspace: { workspaceId: string } }>('workspace.create', { path })
  return workspace.workspaceId
}

/** Creates an empty conversation and gives its id. */
export async function newSession(rpc: Rpc, workspaceId: string): Promise<string> {
  return (await rpc<{ sessionId: string }>('session.create', { workspaceId })).sessionId
}

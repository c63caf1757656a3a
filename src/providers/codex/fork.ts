/** How a child is forked and what must be true of it. Pure. The app-server ignores parameters that it does not know, so
 *  nothing is believed that its answer does not show. */

import type { ModelRoute, SideKind } from '../../core/contract.ts'
import type { Fields, ThreadFacts } from './protocol.ts'
import type { CodexMetadata } from './source.ts'

/** Model settings of a side's turns. */
export interface SideModel {
  readonly model: string
  readonly modelProvider: string
  readonly effort: string | null
}

/** What a side asks: its own route, else the source's. */
export function modelOf(metadata: CodexMetadata, route: ModelRoute | undefined): SideModel {
  return {
    model: route?.model ?? metadata.model,
    modelProvider: route?.provider ?? metadata.modelProvider,
    effort: (route === undefined ? metadata.effort : route.effort) ?? null,
  }
}

/** Parameters of `thread/fork`. The child is unloaded as soon as nobody listens, writes no snapshot of the environment,
 *  notifies no program, starts no agents and keeps no goals; a `/btw` has no web search either. */
export function forkParams(
  metadata: CodexMetadata,
  kind: SideKind,
  model: SideModel,
  developer: string,
  silenced: readonly string[],
): Fields {
  return {
    threadId: metadata.threadId,
    ephemeral: true,
    excludeTurns: true,
    developerInstructions: developer,
    model: model.model,
    modelProvider: model.modelProvider,
    cwd: metadata.cwd,
    sandbox: 'read-only',
    approvalPolicy: 'never',
    threadSource: 'side',
    config: {
      thread_unload_delay_secs: 0,
      'features.shell_snapshot': false,
      'features.goals': false,
      agents: { enabled: false },
      notify: [],
      ...(model.effort === null ? {} : { model_reasoning_effort: model.effort }),
      ...(kind === 'btw' ? { web_search: 'disabled' } : {}),
      ...(silenced.length === 0
        ? {}
        : { mcp_servers: Object.fromEntries(silenced.map((server) => [server, { enabled: false }])) }),
    },
  }
}

/** Whose child an answer names. `foreign` must never be touched; `ours` may be closed even when it is not usable. */
export function lineageOf(fork: ThreadFacts | null, sourceThreadId: string): 'ours' | 'foreign' {
  const ours = fork !== null && fork.id !== sourceThreadId && fork.forkedFromId === sourceThreadId && fork.ephemeral
  return ours ? 'ours' : 'foreign'
}

/** What is wrong with a child of ours, or null. */
export function weakness(fork: ThreadFacts, metadata: CodexMetadata, model: SideModel): string | null {
  if (fork.path !== null) return 'the child is stored'
  if (fork.sandbox !== 'readOnly') return `the child may write (${fork.sandbox})`
  if (fork.approvalPolicy !== 'never') return `the child may ask for approval (${fork.approvalPolicy})`
  if (fork.model !== model.model || fork.modelProvider !== model.modelProvider) return 'the child asks another model'
  if (fork.cwd !== metadata.cwd) return 'the child works in another folder'
  return null
}

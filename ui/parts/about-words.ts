/** Everything about a side in sentences: what it knows, may do, asks, keeps and when it ends (K43). Pure. */

import type { ForkFacts } from '../../src/wire/index.ts'
import type { LocaleKey, Translate } from '../locales.ts'
import { formatCount, formatElapsed, formatTime, formatTurns } from './format.ts'

/** The windows of a side in milliseconds, as the host was configured. */
export interface SideWindows {
  readonly undoMs: number
  readonly lostClientMs: number
  readonly parkedMs: number
}

/** One sentence each; `facts` is null before the fork. */
export function aboutSentences(facts: ForkFacts | null, windows: SideWindows, t: Translate): readonly string[] {
  const end = [t('info.main'), t(facts?.ephemeral === false ? 'info.stored' : 'info.notStored')]
  if (facts === null) return [t('info.before'), ...end, endText(windows, t)]
  const { liveDigest, tools, route } = facts
  return [
    knowsText(facts, t),
    ...(liveDigest ? [t('info.digest')] : []),
    tools.length === 0 ? t('info.noTools') : t('info.tools', { tools: toolWords(tools, t).join(t('list.comma')) }),
    ...(route === undefined ? [] : [modelText(route, t)]),
    ...end,
    ...(route !== undefined && /deepseek/i.test(route.provider) ? [t('info.sent')] : []),
    endText(windows, t),
  ]
}

function knowsText(
  { scope, inheritedTurns, inheritedTokens, window, forkedAt, liveDigest }: ForkFacts,
  t: Translate,
): string {
  if (scope?.kind === 'digest') return t('info.digestOnly')
  if (inheritedTurns === 0) return t(liveDigest ? 'info.firstTurn' : 'info.nothing')
  const n = formatCount(inheritedTokens)
  const params = {
    turns: formatTurns(inheritedTurns, t),
    time: formatTime(forkedAt),
    tokens: window === undefined ? t('scope.tokens', { n }) : t('scope.tokensOf', { n, window: formatCount(window) }),
  }
  if (scope?.kind === 'turns') return t('info.newest', params)
  return t(scope?.kind === 'compaction' ? 'info.sinceCompaction' : 'info.inherits', params)
}

function modelText({ model, effort }: NonNullable<ForkFacts['route']>, t: Translate): string {
  return effort === undefined ? t('info.model', { model }) : t('info.modelEffort', { model, effort })
}

function endText({ undoMs, lostClientMs, parkedMs }: SideWindows, t: Translate): string {
  const times = {
    lost: waitText(lostClientMs, t),
    parked: waitText(parkedMs, t),
  }
  return undoMs > 0 ? t('info.endsUndo', { ...times, undo: formatElapsed(undoMs, t) }) : t('info.ends', times)
}

/** Up to two minutes in seconds. */
function waitText(ms: number, t: Translate): string {
  const seconds = Math.round(ms / 1_000)
  return seconds <= 120 ? t('time.seconds', { n: seconds }) : t('time.minutes', { n: Math.round(seconds / 60) })
}

/** What a tool is for; one that nobody here knows goes by its name. */
const PURPOSE: Readonly<Record<string, LocaleKey>> = {
  read: 'tools.read',
  read_image: 'tools.read',
  grep: 'tools.search',
  glob: 'tools.search',
  web_search: 'tools.webSearch',
  web_fetch: 'tools.webFetch',
  lsp: 'tools.code',
  session_search: 'tools.sessions',
  session_read: 'tools.sessions',
}

function toolWords(tools: readonly string[], t: Translate): readonly string[] {
  const words = tools.map((name) => {
    const key = PURPOSE[name]
    return key === undefined ? name : t(key)
  })
  return [...new Set(words)]
}

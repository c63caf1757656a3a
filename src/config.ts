/** Configuration of the plugin: its schema and defaults, as the host validates them. plugin.json repeats the defaults
 *  for readers, and a test keeps both the same. */

import z from '@deepseek-ai/schemastery'
import { DEFAULT_LIMITS, type Limits } from './core/limits.ts'
import { READ_ONLY_TOOLS } from './providers/dsh/guard.ts'

export interface Config {
  /** Tools that may run in a `/side`. */
  readonly tools: readonly string[]
  /** Adds the tools that read other conversations to `tools`. */
  readonly readOtherSessions: boolean
  readonly toolSurface: 'auto' | 'restrict' | 'inherit'
  /** Inherited tokens from which `auto` keeps the parent's tool list in the request. */
  readonly inheritFromTokens: number
  readonly liveTurn: 'digest' | 'off'
  readonly sidesPerConversation: number
  readonly sidesPerHost: number
  /** Seconds in which a close can be undone; 0 = none. */
  readonly undoSeconds: number
  /** Seconds after which a side whose page is gone is disposed. */
  readonly lostClientSeconds: number
  /** Minutes after which a hidden, idle side ends. */
  readonly parkedMinutes: number
  /** The letter that copies the answer in the card, by what it writes; '' = none (D12). */
  readonly copyKey: string
  /** Shows the sides, by the place of the key: modifiers and a `KeyboardEvent.code`, "Ctrl+Shift+Comma"; '' = none. */
  readonly sideKey: string
}

/** Tools of DSH that read other conversations (D18). */
export const OTHER_SESSION_TOOLS: readonly string[] = ['session_search', 'session_read']

/** Nothing, or at least one of Ctrl, Alt and Meta, perhaps Shift, and one key. */
const SIDE_KEY = /^$|^(?=.*(?:Ctrl|Alt|Meta)\+)(?:(?:Ctrl|Alt|Shift|Meta)\+){1,4}[A-Z]\w+$/

export const Config: z<Config> = z.object({
  tools: z.array(z.string()).default([...READ_ONLY_TOOLS]),
  readOtherSessions: z.boolean().default(false),
  toolSurface: z.union([z.const('auto'), z.const('restrict'), z.const('inherit')]).default('auto'),
  inheritFromTokens: z.number().step(1).min(0).default(16_000),
  liveTurn: z.union([z.const('digest'), z.const('off')]).default('digest'),
  sidesPerConversation: z.number().step(1).min(1).max(32).default(DEFAULT_LIMITS.sidesPerSource),
  sidesPerHost: z.number().step(1).min(1).max(64).default(DEFAULT_LIMITS.sidesPerHost),
  undoSeconds: z
    .number()
    .min(0)
    .max(60)
    .default(DEFAULT_LIMITS.undoMs / 1_000),
  lostClientSeconds: z
    .number()
    .min(10)
    .max(3_600)
    .default(DEFAULT_LIMITS.lostClientMs / 1_000),
  parkedMinutes: z
    .number()
    .min(1)
    .max(1_440)
    .default(DEFAULT_LIMITS.parkedMs / 60_000),
  copyKey: z
    .string()
    .pattern(/^\p{L}?$/u)
    .default('c'),
  sideKey: z.string().pattern(SIDE_KEY).default('Ctrl+Shift+Comma'),
}) as unknown as z<Config>

/** The limits of `config`, in the core's units. */
export function limitsOf(config: Config): Limits {
  return {
    ...DEFAULT_LIMITS,
    sidesPerSource: config.sidesPerConversation,
    sidesPerHost: config.sidesPerHost,
    undoMs: config.undoSeconds * 1_000,
    lostClientMs: config.lostClientSeconds * 1_000,
    parkedMs: config.parkedMinutes * 60_000,
  }
}

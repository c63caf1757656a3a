/** The one answer to "may this part of the host handle that session?" (T11). A side, by its own id or by its child's,
 *  is never reported durably, resumed, given a goal, titled or reaped for idleness; everything else always may be. */

/** A part of a host that looks after ordinary sessions and must leave sides alone. */
export const SCOPE_DOORS = ['durable_report', 'auto_resume', 'goal', 'title', 'idle_reaper'] as const

export type ScopeDoor = (typeof SCOPE_DOORS)[number]

export interface ScopeGuard {
  allows(door: ScopeDoor, sessionId: string): boolean
}

/** The one answer to "may this part of the host handle that session?" (T11). A side, by its own id or by its child's,
 *  is never reported durably, resumed, given a goal, titled or reaped for idleness; everything else always may be. */

/** The parts of a host that look after ordinary sessions and must leave sides alone. */
export const SCOPE_DOORS = ['durable_report', 'auto_resume', 'goal', 'title', 'idle_reaper'] as const

export type ScopeDoor = (typeof SCOPE_DOORS)[number]

export interface ScopeGuard {
  /** False for a side and its child, also shortly after they ended: late jobs of a host still name them. */
  allows(door: ScopeDoor, sessionId: string): boolean
}

/** What a Codex side is told: developer instructions for every turn, and how the boundary goes into its history. Pure.
 *  Whether a child's own developer instructions are read depends on the app-server's version and on compaction, so the
 *  same text rides the fork, one injected item, and every turn's collaboration settings. */

import type { SideKind } from '../../core/contract.ts'

const RULES = `You are answering in a side conversation: a temporary copy of the main conversation. The main conversation goes on without you.
A marker in the history may say that the person interrupted the last turn. That is an effect of the copy: the main turn may still be running, and you see it only up to its question. Do not continue it, and do not speak of an interruption.
Answer the newest question of the person and nothing else. Do not resume, redo or finish what the history asks for or plans.`

const TOOL_RULES: Readonly<Record<SideKind, string>> = {
  btw: 'No tool can run here: call none, and answer in words from what you already know.',
  side: 'You may read files and run commands that only read. Nothing may be written, installed, sent or started, and nobody will approve an exception.',
}

/** The developer text of a side: the host's own, then the side's rules. */
export function developerText(hostContext: string, kind: SideKind): string {
  return [hostContext.trim(), RULES, TOOL_RULES[kind]].filter((part) => part !== '').join('\n\n')
}

/** Items for `thread/inject_items`: an item of an unknown type would be dropped without an error. */
export function boundaryItems(developer: string, boundary: string): readonly object[] {
  const item = (role: string, said: string): object => ({
    type: 'message',
    role,
    content: [{ type: 'input_text', text: said }],
  })
  return [item('developer', developer), ...(boundary === '' ? [] : [item('user', boundary)])]
}

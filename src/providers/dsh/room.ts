/** How far a side is from what its model takes. As long as that is far, nobody has to look whether it has grown too long: on
 *  hosts of today that look reads the whole inherited log anew for each side, and takes longer than all the rest. Pure. */

import { countedOf, tokensOf } from './history.ts'
import { record } from './translate.ts'

/** Hosts shorten from four fifths of the window on. */
const ROOMY_SHARE = 0.7
/** Above what any language needs: what the provider has not counted yet is taken for a token a character. */
const WARY = 4

/** @param inherited tokens of the inherited part. @param window of the model, or null where nobody tells. */
export function roomWatch(
  inherited: number,
  window: number | null,
): { hear(type: string, data: unknown): void; roomy(): boolean } {
  let held = inherited
  return {
    hear(type, data) {
      const { content, message, usage } = record(data) ?? {}
      if (type === 'user/message') held += WARY * tokensOf(content)
      else if (type === 'tool/result') held += WARY * tokensOf(record(message)?.['content'])
      else if (type === 'assistant/message')
        held = countedOf(usage) ?? held + WARY * tokensOf(record(message)?.['content'])
    },
    roomy: () => window !== null && held < ROOMY_SHARE * window,
  }
}

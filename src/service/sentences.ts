/** What a person reads of an error of the service, in both languages. Clients that have their own words use the code. */

import type { SideErrorCode } from '../core/errors.ts'

interface Sentence {
  readonly en: string
  readonly zh: string
}

const SENTENCES: Readonly<Record<SideErrorCode, Sentence>> = {
  unsupported: {
    en: 'This conversation cannot have a side here: Codex 0.155.0 or newer must know the thread and have begun it.',
    zh: '这个对话在这里不能开旁问：需要 0.155.0 或更新的 Codex，且对话已经开始。',
  },
  conflict: { en: 'This id names something else already.', zh: '这个标识已被占用。' },
  in_progress: {
    en: 'An earlier side of this id is still being removed. Try again in a moment.',
    zh: '同名的旁问还在清理，请稍后再试。',
  },
  turn_active: { en: 'It is still answering. Wait, or stop it first.', zh: '它还在回答，请等待或先停止。' },
  expired: { en: 'This side has ended. Start a new one.', zh: '这个旁问已经结束，请重新开始。' },
  limit_reached: { en: 'Too many sides are open. Close one first.', zh: '打开的旁问太多，请先关闭一个。' },
  interaction_not_live: { en: 'Nothing waits for this answer.', zh: '没有等待这个回答的提问。' },
  interaction_already_answered: { en: 'This was answered already.', zh: '这个提问已经回答过了。' },
  interaction_invalid_response: { en: 'This is no answer to what was asked.', zh: '这不是对该提问的有效回答。' },
  invalid_request: { en: 'The request is not in order.', zh: '请求的格式不正确。' },
  not_found: { en: 'There is nothing of this name.', zh: '没有找到。' },
  stream_unavailable: { en: 'The event stream is not available.', zh: '事件流不可用。' },
  provider_error: { en: 'Codex could not do it. Try again.', zh: 'Codex 没能完成，请重试。' },
}

/** The sentence for `code`, Chinese when the header asks for it first. */
export function sentenceFor(code: SideErrorCode, acceptLanguage: string | undefined): string {
  return SENTENCES[code][/^\s*zh\b/i.test(acceptLanguage ?? '') ? 'zh' : 'en']
}

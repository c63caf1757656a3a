/** The sentences of free play, in English and Chinese. Owns wording only. */

export interface Seen {
  turns: number
  tools: number
  tokens: number
}

export interface Words {
  thinks: (topic: string, seen: Seen) => string
  thinksAboutTool: (tool: string) => string
  thinksAboutResult: string
  looks: (tool: string, target: string) => string
  sum: (sum: string, result: number) => string
  read: (path: string, lines: number) => string
  headings: string
  matches: (count: number) => string
  files: (count: number) => string
  nothing: string
  toolSaid: (tool: string) => string
  table: (keys: string[]) => string
  code: string
  context: (seen: Seen, earlier: string[]) => string
  noContext: string
  echo: (keys: string[]) => string
  canDo: string
  footer: (seen: Seen) => string
}

const english: Words = {
  thinks: (topic, { turns, tools }) =>
    `The question is about ${topic}. There ${turns === 1 ? 'is 1 earlier turn' : `are ${turns} earlier turns`} and ${tools} tools. No tool is needed; a short answer will do.`,
  thinksAboutTool: (tool) => `This is about files, so I look before I answer. \`${tool}\` fits.`,
  thinksAboutResult: 'The result is here. I sum it up and quote the part that matters.',
  looks: (tool, target) => `Let me look with \`${tool}\`: \`${target}\`.`,
  sum: (sum, result) => `**${sum} = ${result}**`,
  read: (path, lines) => `I read \`${path}\` (${lines} ${lines === 1 ? 'line' : 'lines'} seen). It begins:`,
  headings: 'Its headings:',
  matches: (count) => `Found **${count}** ${count === 1 ? 'match' : 'matches'}:`,
  files: (count) => `Found **${count}** ${count === 1 ? 'file' : 'files'}:`,
  nothing: 'Nothing was found.',
  toolSaid: (tool) => `The tool \`${tool}\` answered:`,
  table: ([a = 'this', b = 'that']) =>
    `| | ${a} | ${b} |\n|---|---|---|\n| good at | short questions | long tasks |\n| costs | little | more |\n| choose it | in passing | on purpose |`,
  code: 'A small example:',
  context: ({ turns, tools, tokens }, earlier) =>
    `I see **${turns}** earlier ${turns === 1 ? 'turn' : 'turns'}, **${tools}** tools and about **${tokens}** tokens of context. Asked before:\n\n${earlier.map((text) => `- ${text}`).join('\n')}`,
  noContext: 'This is the first question here; I see no earlier turns.',
  echo: (keys) => `You asked about ${keys.map((key) => `**${key}**`).join(', ') || '**nothing in particular**'}.`,
  canDo:
    'I am a scripted model, so I know nothing about it. Try:\n\n1. a sum, such as `what is 2+2`\n2. a question about a file, such as `what is in README.md`\n3. `a table`, `some code`, `a long answer`, `a slow task`\n4. a marker, such as `[[slow 5]]` or `[[status 429]]`',
  footer: ({ turns, tools, tokens }) =>
    `*Context: ${turns} earlier ${turns === 1 ? 'turn' : 'turns'}, ${tools} tools, about ${tokens} tokens.*`,
}

const chinese: Words = {
  thinks: (topic, { turns, tools }) =>
    `问题是关于${topic}的。之前有 ${turns} 轮对话，可用工具 ${tools} 个。不需要工具，简短回答即可。`,
  thinksAboutTool: (tool) => `这个问题涉及文件，先看一看再回答。用 \`${tool}\` 合适。`,
  thinksAboutResult: '结果已经有了，我来总结并引用关键部分。',
  looks: (tool, target) => `我用 \`${tool}\` 看一下：\`${target}\`。`,
  sum: (sum, result) => `**${sum} = ${result}**`,
  read: (path, lines) => `我读了 \`${path}\`（看到 ${lines} 行），开头是：`,
  headings: '其中的标题：',
  matches: (count) => `找到 **${count}** 处：`,
  files: (count) => `找到 **${count}** 个文件：`,
  nothing: '什么也没有找到。',
  toolSaid: (tool) => `工具 \`${tool}\` 的回答：`,
  table: ([a = '前者', b = '后者']) =>
    `| | ${a} | ${b} |\n|---|---|---|\n| 擅长 | 简短的问题 | 长时间的任务 |\n| 成本 | 低 | 较高 |\n| 何时选用 | 顺便问一句 | 专门去做 |`,
  code: '一个小例子：',
  context: ({ turns, tools, tokens }, earlier) =>
    `我看到之前的 **${turns}** 轮对话、**${tools}** 个工具，约 **${tokens}** 个 token。之前问过：\n\n${earlier.map((text) => `- ${text}`).join('\n')}`,
  noContext: '这是第一个问题，之前没有对话。',
  echo: (keys) => `你问的是${keys.map((key) => `**${key}**`).join('、') || '**没有具体内容**'}。`,
  canDo:
    '我是一个脚本模型，对此一无所知。可以试试：\n\n1. 算式，例如 `2+2 等于多少`\n2. 关于文件的问题，例如 `README.md 里有什么`\n3. `表格`、`代码`、`详细回答`、`慢任务`\n4. 标记，例如 `[[slow 5]]` 或 `[[status 429]]`',
  footer: ({ turns, tools, tokens }) => `*上下文：之前 ${turns} 轮，${tools} 个工具，约 ${tokens} 个 token。*`,
}

/** Chinese when the text has Chinese characters. */
export function wordsFor(text: string): Words {
  return /[\u3400-\u9fff]/.test(text) ? chinese : english
}

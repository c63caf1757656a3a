/** The story that the pictures of DESIGN.md tell, in both languages: a person at work on the sample project. */
import type { Behaviour } from '../model/behaviours.ts'

/** A question and what the model does with it. */
type Exchange = readonly [question: string, behaviour: Behaviour]

/** A question whose answer stops in the middle until it is let go on. */
export interface Held {
  question: string
  begins: string
  ends: string
}

export interface Story {
  locale: string
  /** Main's title. */
  title: string
  /** Main's turn that is over. */
  before: Exchange
  /** Main's open turn; it stands at the gate `main`. */
  main: Exchange
  btw: Held
  failing: string
  side: Exchange
  /** The end of the side's first answer, as the page shows it. */
  sideEnds: string
  follow: Held
  queued: string
}

/** Reads files first, says something, and goes on when the gate is opened. */
function reads(files: string[], after: Behaviour | string, reasoning = '', text = ''): Behaviour {
  const calls = files.map((path) => ({ name: 'read', arguments: { file_path: path } }))
  return { kind: 'tool', calls, reasoning, text, after, chunkMs: 50 }
}

/** Says the beginning, and the end once `name` is released. */
export function held(name: string, before: string, after: string): Behaviour {
  return { kind: 'gate', name, before, after }
}

export const plain = (text: string): Behaviour => ({ kind: 'plain', text, chunkMs: 2 })

export const ENGLISH: Story = {
  locale: 'en-US',
  title: 'Add a --csv flag',
  before: [
    'Which files matter when I change what the command prints?',
    reads(
      ['README.md', 'src/cli.js'],
      plain(
        'Two of them:\n\n- `src/cli.js` reads the flags and decides between the table and JSON.\n- `src/format.js` turns the list of turns into the table.\n\nThe tide arithmetic in `src/tides.js` stays out of it.',
      ),
    ),
  ],
  main: [
    'Add a --csv flag next to --json, with a test.',
    reads(
      ['src/format.js', 'test/tides.test.js'],
      held(
        'main',
        "The list already has the three fields a CSV needs, so `asCsv` stands beside `asTable`:\n\n```js\nexport function asCsv(list) {\n  const rows = list.map(({ kind, time, height }) =>\n    [kind, new Date(time).toISOString(), height.toFixed(2)].join(','),\n  )\n  return ['kind,time,height', ...rows].join('\\n')\n}\n```\n\nNext is the flag in `src/cli.js`. `--json` wins when both are",
        ' given.',
      ),
      '',
      'I look at the formatter and the existing test first.',
    ),
  ],
  btw: {
    question: 'what does --frozen-lockfile change?',
    begins: 'It forbids `yarn install` to touch `yarn.lock`. If the file does not fit',
    ends: ' `package.json`, the install stops with an error instead of repairing it.\n\n- **Without it** a stale lock file is updated quietly, and your build uses versions nobody has reviewed.\n- **With it** the install is the same everywhere, or it fails.\n\nThe counterpart in npm is `npm ci`, which is what your CI should run here.',
  },
  failing: 'is npm ci slower than npm install?',
  side: [
    'why are there two lock files?',
    reads(
      ['README.md', 'yarn.lock'],
      plain(
        'Because two package managers are in use, and the README says so: some of you still run Yarn, while CI runs `npm install`.\n\n| file | written by | kleur |\n| --- | --- | --- |\n| `package-lock.json` | npm | 4.1.5 |\n| `yarn.lock` | Yarn | 4.1.4 |\n\nThey have drifted apart: `yarn.lock` still answers to `^4.1.4`.',
      ),
      'Two lock files usually mean two package managers. The README may say which one is meant, and the lock files themselves show whether they still agree. I read both before I answer.',
    ),
  ],
  sideEnds: 'They have drifted apart',
  follow: {
    question: 'which one should I delete?',
    begins:
      '`yarn.lock`. CI never reads it, and it is the one that is out of date. Ask whoever still uses Yarn first; for them',
    ends: ' nothing changes but the command.',
  },
  queued: 'and does the README need a change then?',
}

export const CHINESE: Story = {
  locale: 'zh-CN',
  title: '加一个 --csv 选项',
  before: [
    '要改命令的输出格式，该看哪几个文件？',
    reads(
      ['README.md', 'src/cli.js'],
      plain(
        '主要是两个：\n\n- `src/cli.js` 读取选项，决定输出表格还是 JSON。\n- `src/format.js` 把潮汐列表排成表格。\n\n`src/tides.js` 只管计算，不用动。',
      ),
    ),
  ],
  main: [
    '在 --json 旁边加一个 --csv，带上测试。',
    reads(
      ['src/format.js', 'test/tides.test.js'],
      held(
        'main',
        "列表里已有 CSV 需要的三个字段，所以在 `asTable` 旁边写一个 `asCsv`：\n\n```js\nexport function asCsv(list) {\n  const rows = list.map(({ kind, time, height }) =>\n    [kind, new Date(time).toISOString(), height.toFixed(2)].join(','),\n  )\n  return ['kind,time,height', ...rows].join('\\n')\n}\n```\n\n接下来在 `src/cli.js` 里读取这个选项。两个都给的时候，",
        '以 `--json` 为准。',
      ),
      '',
      '先看看格式化的代码和现有的测试。',
    ),
  ],
  btw: {
    question: '--frozen-lockfile 有什么用？',
    begins: '它不允许 `yarn install` 改动 `yarn.lock`。如果锁文件和',
    ends: ' `package.json` 对不上，安装会直接报错，而不是悄悄修好。\n\n- **不加**：过期的锁文件会被自动更新，构建用上没人看过的版本。\n- **加上**：要么处处装得一样，要么失败。\n\nnpm 里对应的是 `npm ci`，这个项目的 CI 适合用它。',
  },
  failing: 'npm ci 会比 npm install 慢吗？',
  side: [
    '为什么有两个锁文件？',
    reads(
      ['README.md', 'yarn.lock'],
      plain(
        '因为有两种包管理器在用，README 里写着：有人还在用 Yarn，CI 跑的是 `npm install`。\n\n| 文件 | 由谁写入 | kleur |\n| --- | --- | --- |\n| `package-lock.json` | npm | 4.1.5 |\n| `yarn.lock` | Yarn | 4.1.4 |\n\n两边已经不一致：`yarn.lock` 里还是 `^4.1.4`。',
      ),
      '两个锁文件通常意味着两种包管理器。README 里可能写了以哪个为准，锁文件本身能看出两边是否一致。先读完再回答。',
    ),
  ],
  sideEnds: '两边已经不一致',
  follow: {
    question: '该删哪一个？',
    begins: '删 `yarn.lock`。CI 从来不读它，而且过期的正是它。删之前问一声还在用 Yarn 的人；对他们来说',
    ends: '只是换一个命令。',
  },
  queued: '那 README 也要改吗？',
}

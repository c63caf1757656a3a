/** Which processes run, by `ps`: for tests that prove nothing is left behind. */
import { execFileSync } from 'node:child_process'

interface Row {
  pid: number
  parent: number
  command: string
}

function table(): Row[] {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, state, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    // A zombie has ended; only its parent has not looked yet.
    return pid === undefined || state?.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
  })
}

/** This process and everything below it, as it is now. */
export function family(pid: number): Row[] {
  const rows = table()
  const found = rows.filter((row) => row.pid === pid)
  for (const known of found) found.push(...rows.filter((row) => row.parent === known.pid))
  return found
}

/** Those of the rows that still run, looked at again for up to `ms`, as text for a failure message. */
export async function survivors(rows: Row[], ms = 3000): Promise<string[]> {
  const until = Date.now() + ms
  for (;;) {
    const now = table()
    const left = rows.filter((row) => now.some((other) => other.pid === row.pid && other.command === row.command))
    if (left.length === 0 || Date.now() > until) return left.map((row) => `${row.pid} ${row.command}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

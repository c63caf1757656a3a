/** What a page is sent when a side opens: the events of the side. A page that follows the straightforward way reads the
 *  child's history as well, the inherited part in it. */
import type { Figure } from './figure.ts'
import type { BenchHost } from './host.ts'
import type { Plan } from './plan.ts'

export async function paneBytes(host: BenchHost, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = []
  const { rig } = host
  for (const turns of plan.turns) {
    const parent = await host.parent(turns)
    const events = (id: string): number =>
      rig.frames.all.reduce((sum, frame) => sum + (frame.sessionId === id ? JSON.stringify(frame).length : 0), 0)
    const btw = await host.btw(parent)
    let history = 0
    const bare = await host.bare(parent, async (id) => {
      history = JSON.stringify(await rig.rpc('session.history', { sessionId: id })).length
    })
    figures.push({
      what: 'sent to the page by opening a side',
      at: `${turns.toLocaleString('en')} turns`,
      unit: 'bytes',
      ours: events(btw.id),
      baseline: { name: 'bare child and its history', value: events(bare.id) + history },
      samples: 1,
    })
    rig.model.clear()
  }
  return figures
}

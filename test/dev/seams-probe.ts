/** A tiny plugin that does in the page what a plugin does there: a tab in the right sidebar, and a followed session.
 *  Its commands `/probe` and `/probe-unlinked` fork a child that answers, with and without its parent in its header. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runTool } from '../../dev/run-tool.ts'

const NAME = 'sidemind-seams-probe'

const HOST_HALF = `
import { randomUUID } from 'node:crypto'
import { createUserMessage } from '@deepseek-ai/dsh-llm'
import * as subagent from '@deepseek-ai/dsh-subagent'
export const name = '${NAME}'
export const inject = ['commands']
export function apply(ctx) {
  const fork = (command, linked) => ctx.commands.register({
    name: command, description: 'probe', input: { hint: 'question' }, recordInput: false,
    async handler({ agent: parent, rawInput }) {
      const end = parent.session.events.findLast((event) => event.type === 'turn/end')
      const seed = end ? parent.session.events.slice(0, end.seq + 1) : []
      const depth = subagent.resolveChildDepth(parent, undefined)
      const { parentSession, ...meta } = subagent.childSessionMeta(parent, depth, seed.length)
      const { agent } = await parent.ctx.agents.create({
        sessionId: randomUUID(), seed, meta: linked ? { ...meta, parentSession } : meta,
        agentOptions: subagent.resolveChildAgentOptions(parent, undefined, depth),
        setup(child) {
          const descriptor = { mode: 'one-shot', provider: '${NAME}', label: 'Probe' }
          subagent.applyChildComposition(child, parent, {})
          child.agent.session.append('subagent/descriptor', subagent.snapshotSubagentDescriptor(descriptor))
        },
      })
      agent.followup(createUserMessage({ content: [{ type: 'text', text: rawInput.trim() }], source: { kind: 'user' } }))
      return { kind: 'success', text: agent.id }
    },
  })
  fork('probe', true)
  fork('probe-unlinked', false)
}
`

const CLIENT_HALF = `
window.__ModuleLoader__.load({ id: '${NAME}', factory: (require) => {
  const { createElement, useEffect } = require('react')
  const probe = window.probe = { closed: [] }
  const Body = ({ useTabInfo }) => {
    const { tab } = useTabInfo()
    useEffect(() => tab.signal.addEventListener('abort', () => probe.closed.push(tab.id)), [])
    return createElement('section', { 'data-probe-tab': tab.id },
      JSON.stringify(tab.navigation.params), ' ', tab.visible ? 'on screen' : 'hidden',
      createElement('button', { onClick: () => tab.actions.close() }, 'Close the probe'))
  }
  const seat = 'sidebar.right.pane.tab'
  return { inject: ['slots'], apply(ctx) {
    ctx.inject(['sidebarRight', 'sidebarRightTabs'], (inner) => {
      probe.sidebar = inner.sidebarRight
      inner.effect(() => inner.sidebarRightTabs.register({ id: '${NAME}', kind: 'probe', title: () => 'Probe' }))
      ctx.slots.inject(seat, () => ctx.slots.register({ name: seat, key: '${NAME}' }, Body))
    })
    ctx.inject(['remote', 'remote.session'], (inner) => {
      probe.follow = (address) => {
        const followed = { frames: [], code: undefined }
        const read = async () => {
          const signal = new AbortController().signal
          for await (const frame of inner.remote.session.follow({ address }, signal)) followed.frames.push(frame)
        }
        read().catch((error) => { followed.code = error.code })
        return followed
      }
    })
  } }
} })
`

/** @returns the path of the packed probe, and how to remove it. */
export async function packProbe(): Promise<{ tarball: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), `${NAME}-`))
  const stage = join(folder, 'stage')
  await mkdir(stage)
  const manifest = {
    name: NAME,
    version: '0.0.0',
    type: 'module',
    exports: { '.': './index.js', './client': './client.js', './package.json': './package.json' },
    dsh: { bundle: { patch: './cordis.patch.yml' }, client: { platform: 'web' } },
  }
  await writeFile(join(stage, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(stage, 'cordis.patch.yml'), `- insert:\n    - id: ${NAME}\n      name: ${NAME}\n`)
  await writeFile(join(stage, 'index.js'), HOST_HALF)
  await writeFile(join(stage, 'client.js'), CLIENT_HALF)
  const { code, output } = await runTool('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: stage })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  if (code !== 0 || tarball === undefined) throw new Error(`npm could not pack the probe: ${output}`)
  return { tarball: join(folder, tarball), remove: () => rm(folder, { recursive: true, force: true }) }
}

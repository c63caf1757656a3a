/** The published client plugins of a later host, brought to life inside this bundle. Owns which modules they get:
 *  the page's own where it has them, bundled ones where the old page lacks them. */
import * as dockkit from '@deepseek-ai/dsh-client-ui-dockkit'
import * as primitives from '@deepseek-ai/dsh-client-ui-primitives'
import * as store from '@deepseek-ai/dsh-client-store'
import resourcesBundle from 'published:@deepseek-ai/dsh-client-resources/client'
import sidebarBundle from 'published:@deepseek-ai/dsh-client-ui-sidebar-right/client'
import * as React from 'react'
import * as ReactDOM from 'react-dom'
import * as jsxRuntime from 'react/jsx-runtime'

import type { PageContext } from './host-context.ts'

/** A client plugin: what it needs and what it does with it. */
interface Plugin {
  readonly inject: readonly string[]
  apply(ctx: PageContext): void
}

const modules: Readonly<Record<string, unknown>> = {
  react: React,
  'react-dom': ReactDOM,
  'react/jsx-runtime': jsxRuntime,
  '@deepseek-ai/dsh-client-store': store,
  '@deepseek-ai/dsh-client-ui-dockkit': dockkit,
  '@deepseek-ai/dsh-client-ui-primitives': primitives,
}

/** `ctx.resources`. */
export const resources = start(resourcesBundle)

/** `ctx.sidebarRight`, `ctx.sidebarRightTabs`, the panel and its button. */
export const sidebarRight = start(sidebarBundle)

function start(bundle: typeof sidebarBundle): Plugin {
  const plugin = bundle.factory((name) => {
    if (!(name in modules)) throw new Error(`${bundle.id} asks for ${name}, which the seams adapter does not bundle`)
    return modules[name]
  })
  if (!isPlugin(plugin)) throw new Error(`${bundle.id} is not a client plugin`)
  return plugin
}

function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && 'apply' in value && typeof value.apply === 'function'
}

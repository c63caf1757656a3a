/** Lets a test take the right sidebar away from a page that has one, as a plugin that is switched off does. */
export function unloadOn(page: Window, what: unknown): () => void {
  const unload = (): void => {
    const dispose: unknown = (what as { dispose?: unknown } | undefined)?.dispose
    if (typeof dispose === 'function') void Reflect.apply(dispose, what, [])
  }
  page.addEventListener('sidemind-dev-unload-sidebar', unload)
  return () => page.removeEventListener('sidemind-dev-unload-sidebar', unload)
}

/** The rival's page half: wants the kind of our tabs as well. */
window.__ModuleLoader__.load({
  id: 'sidemind-test-rival',
  factory: () => ({
    inject: [],
    apply(ctx) {
      ctx.inject(['sidebarRightTabs'], (inner) => {
        try {
          inner.effect(
            () =>
              inner
                .get('sidebarRightTabs')
                .register({ id: 'sidemind-for-dsh', kind: 'sidemind-side', patterns: [], title: () => 'Rival' }),
            'rival: tab',
          )
        } catch {
          // Held by somebody else.
        }
      })
    },
  }),
})

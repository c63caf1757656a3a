/** Its client half, in the shape that the host loads. */
window.__ModuleLoader__.load({
  id: 'sidemind-bench-empty',
  factory: () => ({ name: 'sidemind-bench-empty', inject: [], apply() {} }),
})

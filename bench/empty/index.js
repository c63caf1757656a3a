/** A plugin that does nothing: what the host's own loading of one costs. */
export const name = 'sidemind-bench-empty'

export function apply() {}

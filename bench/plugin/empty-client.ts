/** The least that a page accepts as the client half of a plugin. */
export const name = 'sidemind-bench'
export const inject: string[] = []

export function apply(): void {}

/** Client half of the plugin: what the host's page loads by the package's name. */

export const name = 'sidemind-for-dsh'

export const inject: string[] = []

/** Mounts the client half. */
export function apply(): void {}

/** Host half of the plugin: what the host loads by the package's name. */

export const name = 'sidemind-for-dsh'

/** Mounts the host half. */
export function apply(): void {}

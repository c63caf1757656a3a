/** A throwaway CODEX_HOME whose only model is the scripted one. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Variable that holds the key of the scripted model; any value will do. */
export const KEY_VARIABLE = 'SCRIPTED_MODEL_KEY'

export interface CodexHomeOptions {
  /** Base URL of the scripted model. */
  readonly modelUrl: string
  /** More lines of config.toml, after everything else. */
  readonly more?: string
  readonly approvalPolicy?: 'never' | 'on-request'
  readonly sandbox?: 'read-only' | 'workspace-write'
}

/** Writes config.toml into `home`, which is made when it is not there. */
export async function writeCodexHome(home: string, options: CodexHomeOptions): Promise<void> {
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'config.toml'), configToml(options))
}

function configToml({
  modelUrl,
  more = '',
  approvalPolicy = 'on-request',
  sandbox = 'workspace-write',
}: CodexHomeOptions) {
  return `model = "scripted"
model_provider = "scripted"
approval_policy = "${approvalPolicy}"
sandbox_mode = "${sandbox}"
check_for_update_on_startup = false

[analytics]
enabled = false

# Both would ask the network for plugins.
[features]
plugins = false
apps = false

[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "${KEY_VARIABLE}"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
stream_idle_timeout_ms = 60000

${more}`
}

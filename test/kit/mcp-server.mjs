// A stdio MCP server with one tool that writes the file it is told to, without a read-only hint.
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const say = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
const tool = {
  name: 'scribble',
  description: 'Writes a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    say(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'scribbler', version: '1.0.0' },
    })
  } else if (method === 'tools/list') {
    say(id, { tools: [tool] })
  } else if (method === 'tools/call') {
    writeFileSync(params.arguments.path, 'scribbled')
    say(id, { content: [{ type: 'text', text: 'done' }] })
  } else if (id !== undefined) {
    say(id, {})
  }
})

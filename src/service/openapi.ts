/** The OpenAPI document of the route table. docs/openapi.json is this, committed; a test compares both. */

import { OpenAPIHono } from '@hono/zod-openapi'
import { ROUTES } from './routes.ts'

export function openApiDocument(version: string): object {
  const app = new OpenAPIHono()
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of this start, printed with the address.',
  })
  for (const route of Object.values(ROUTES)) app.openAPIRegistry.registerPath(route)
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'SideMind service',
      version,
      description: 'Temporary side conversations beside a running agent. Loopback only.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: 'http://127.0.0.1', description: 'The port is printed at the start.' }],
    tags: [
      { name: 'service', description: 'The service itself' },
      { name: 'sides', description: 'Side conversations' },
      { name: 'threads', description: 'The conversations beside which they are asked' },
    ],
  })
}

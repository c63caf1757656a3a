/** The files that the client half loads later: how our host half serves them, and nothing else. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { LATER_PATH, serveLater, type WebServer } from '../../src/later.ts'

let server: Server
let url: string
const read: string[] = []
beforeAll(async () => {
  let handler: Parameters<WebServer['register']>[0]['handler'] | undefined
  serveLater(
    {
      register(route) {
        expect(route).toMatchObject({ kind: 'prefix', path: LATER_PATH })
        handler = route.handler
        return () => undefined
      },
    },
    async (file) => {
      read.push(file)
      if (file === 'math.js') throw new Error('not built')
      return Buffer.from(`export const file = '${file}'`)
    },
  )
  server = createServer((request, response) => void handler?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${LATER_PATH}`
})
afterAll(() => void server.close())

it('serves a file as a script that is asked for again only when it changed', async () => {
  const answer = await fetch(`${url}/markdown.js?again=1`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await answer.text()).toBe("export const file = 'markdown.js'")
  const tag = answer.headers.get('etag') ?? ''
  expect((await fetch(`${url}/markdown.js`, { headers: { 'if-none-match': tag } })).status).toBe(304)
  expect((await fetch(`${url}/code.js`, { headers: { 'if-none-match': tag } })).status).toBe(200)
})

it.each([
  '',
  '/',
  '/client.js',
  '/../index.js',
  '/%2e%2e%2findex.js',
  '/markdown.js/',
  '/markdown.js%00',
  '/constructor',
])('has nothing else: %j', async (path) => {
  read.length = 0
  const answer = await fetch(`${url}${path}`)
  expect(answer.status).toBe(404)
  expect(read).toEqual([])
})

it('says of a file that is not there that it is not there, and takes no other verbs', async () => {
  expect((await fetch(`${url}/math.js`)).status).toBe(404)
  expect((await fetch(`${url}/code.js`, { method: 'POST' })).status).toBe(405)
  const head = await fetch(`${url}/code.js`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

/** Everything that a page gets from its host: frames of its sockets and bodies of its answers. */
import type { Page } from 'playwright-core'

export interface Received {
  /** What came since the last call, as text, once the answers that were on their way are there. */
  take(): Promise<string>
}

/** Listens from now on; sockets that are open already are not heard, so call it before the page loads. */
export function receivedBy(page: Page): Received {
  let text = ''
  let answers: Promise<void>[] = []
  page.on('websocket', (socket) =>
    socket.on(
      'framereceived',
      ({ payload }) => void (text += typeof payload === 'string' ? payload : payload.toString()),
    ),
  )
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/api/')) return
    // A held command has no body yet, and one that was given up never has.
    const held = response.request().postData()?.includes('"hold"') === true
    if (!held)
      answers.push(
        response.text().then(
          (body) => void (text += body),
          () => undefined,
        ),
      )
  })
  return {
    async take() {
      await Promise.all(answers)
      answers = []
      const came = text
      text = ''
      return came
    },
  }
}

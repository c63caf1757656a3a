/** Preloaded into the host: ends it, and all it started, when the process that launched it is gone, however that ended.
 *  File descriptor 3 is a pipe whose other end that process holds; it closes with its holder. */
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.env.SIDEMIND_LEASH) {
  // Node children of the host inherit this preload but not the pipe.
  delete process.env.SIDEMIND_LEASH
  const pipe = new Socket({ fd: 3 })
  pipe.on('error', () => undefined)
  pipe.on('close', () => {
    try {
      process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL')
    } catch {
      process.exit(1)
    }
  })
  pipe.resume()
  pipe.unref()
}

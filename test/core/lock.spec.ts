import { describe, expect, it } from 'vitest'
import { createLocks } from '../../src/core/lock.ts'
import { settle } from './clock.ts'

describe('locks', () => {
  it('O4 lets one in at a time, in the order in which they came', async () => {
    const locks = createLocks()
    const log: string[] = []
    const enter = async (name: string): Promise<() => void> => {
      const release = await locks.acquire(['k'])
      log.push(name)
      return release
    }
    const [first, second, third] = [enter('first'), enter('second'), enter('third')]
    await settle()
    expect(log).toEqual(['first'])
    ;(await first)()
    await settle()
    expect(log).toEqual(['first', 'second'])
    ;(await second)()
    ;(await third)()
    expect(log).toEqual(['first', 'second', 'third'])
  })

  it('O4 takes several in sorted order, so that two that want the same never wait for each other', async () => {
    const locks = createLocks()
    const done: string[] = []
    const work = async (name: string, keys: readonly string[]): Promise<void> => {
      const release = await locks.acquire(keys)
      await settle()
      done.push(name)
      release()
    }
    await Promise.all([
      work('1', ['a', 'b']),
      work('2', ['b', 'a']),
      work('3', ['b', 'c', 'a']),
      work('4', ['c', 'b', 'b']),
    ])
    expect(done.toSorted()).toEqual(['1', '2', '3', '4'])
  })

  it('O4 queues for its first key before it returns', async () => {
    const locks = createLocks()
    const log: string[] = []
    void locks.acquire(['a', 'z']).then((release) => (log.push('both'), release()))
    void locks.acquire(['a']).then((release) => (log.push('one'), release()))
    await settle()
    expect(log).toEqual(['both', 'one'])
  })

  it('O10 leaves the queue when aborted and holds nothing afterwards', async () => {
    const locks = createLocks()
    const held = await locks.acquire(['b'])
    const abort = new AbortController()
    const waiting = locks.acquire(['a', 'b'], abort.signal)
    await settle()
    abort.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(locks.acquire(['a'], AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
    ;(await locks.acquire(['a']))()
    held()
    ;(await locks.acquire(['a', 'b']))()
  })

  it('releases once, however often it is told', async () => {
    const locks = createLocks()
    const release = await locks.acquire(['a'])
    release()
    const second = await locks.acquire(['a'])
    let third = false
    void locks.acquire(['a']).then(() => (third = true))
    release()
    await settle()
    expect(third).toBe(false)
    second()
    await settle()
    expect(third).toBe(true)
  })
})

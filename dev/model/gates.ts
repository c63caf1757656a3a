/** Named gates: an answer waits at one until somebody releases it. An opened gate stays open until `reset`, so
 *  releasing before the request arrives is no race. */

interface Gate {
  open: boolean
  waiting: Set<() => void>
}

export class Gates {
  readonly #gates = new Map<string, Gate>()

  /** Opens the gate and returns how many answers it let through. */
  release(name: string): number {
    const gate = this.#gate(name)
    gate.open = true
    const { size } = gate.waiting
    for (const go of gate.waiting) go()
    gate.waiting.clear()
    return size
  }

  /** Resolves when the gate is open. Rejects with the signal's reason when it aborts first. */
  async pass(name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const gate = this.#gate(name)
    if (gate.open) return
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        gate.waiting.delete(go)
        reject(signal.reason as Error)
      }
      gate.waiting.add(go)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Lets everybody through and closes every gate again. */
  reset(): void {
    for (const name of this.#gates.keys()) this.release(name)
    this.#gates.clear()
  }

  #gate(name: string): Gate {
    let gate = this.#gates.get(name)
    if (gate === undefined) this.#gates.set(name, (gate = { open: false, waiting: new Set() }))
    return gate
  }
}

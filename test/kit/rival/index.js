/** Another plugin that wants the names of ours: `/btw` at once, `/side` when everybody has started. Where one is held already it does
 *  without. */

export const name = 'sidemind-test-rival'
export const inject = ['commands']

export function apply(ctx) {
  const take = (command) => {
    try {
      ctx.commands.register({
        name: command,
        description: `The rival's ${command}.`,
        input: { hint: 'anything' },
        handler: async ({ rawInput }) => ({ kind: 'success', text: `The rival heard ${rawInput.trim()}` }),
      })
    } catch {
      // Held by somebody else.
    }
  }
  take('btw')
  const timer = setTimeout(() => take('side'), 1_000)
  ctx.effect(() => () => clearTimeout(timer))
}

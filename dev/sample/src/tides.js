// Degrees per hour.
const SPEED = { M2: 28.9841042, S2: 30, N2: 28.4397295, O1: 13.9430356 }
const EPOCH = Date.UTC(2020, 0, 1)

/** Height in metres above chart datum at a moment. */
export function heightAt(harbour, time) {
  const hours = (time - EPOCH) / 3_600_000
  let height = harbour.mean
  for (const [name, speed] of Object.entries(SPEED)) {
    const [amplitude, phase] = harbour[name]
    height += amplitude * Math.cos(((speed * hours - phase) * Math.PI) / 180)
  }
  return height
}

/** High and low waters between two moments, earliest first. */
export function turns(harbour, from, to, stepMinutes = 6) {
  const step = stepMinutes * 60_000
  const found = []
  for (let t = from + step; t < to; t += step) {
    const [before, now, after] = [t - step, t, t + step].map((at) => heightAt(harbour, at))
    if (now > before && now >= after) found.push({ kind: 'high', time: t, height: now })
    if (now < before && now <= after) found.push({ kind: 'low', time: t, height: now })
  }
  return found
}

/** Numbers as people read them beside an answer. */

import type { Translate } from '../locales.ts'

/** 940, 1.2k, 18k, 1.4M. */
export function formatCount(n: number): string {
  if (n < 1_000) return String(Math.round(n))
  if (n < 999_500) return `${short(n / 1_000)}k`
  return `${short(n / 1_000_000)}M`
}

function short(n: number): string {
  return n < 9.95 ? n.toFixed(1).replace(/\.0$/, '') : String(Math.round(n))
}

/** "2.1 s", "42 s", "1:05", "1:02:03"; never negative. */
export function formatElapsed(ms: number, t: Translate): string {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 59.5)
    return t('time.seconds', { n: seconds < 9.95 ? seconds.toFixed(1).replace(/\.0$/, '') : Math.round(seconds) })
  const whole = Math.round(seconds)
  const two = (n: number): string => String(n).padStart(2, '0')
  const minutes = Math.floor(whole / 60) % 60
  const hours = Math.floor(whole / 3_600)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** Whole seconds for a running clock, so that it does not flicker. */
export function formatRunning(ms: number, t: Translate): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000)
  return seconds < 60 ? t('time.seconds', { n: seconds }) : formatElapsed(seconds * 1_000, t)
}

/** The hour and minute of `at` (epoch milliseconds) on this machine. */
export function formatTime(at: number): string {
  const time = new Date(at)
  return `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`
}

export function formatTurns(n: number, t: Translate): string {
  return t(n === 1 ? 'from.turn' : 'from.turns', { n })
}

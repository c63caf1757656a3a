/** One line per turn: `low   2026-03-04 05:12   0.41 m`. */
export function asTable(list) {
  return list
    .map(({ kind, time, height }) => {
      const stamp = new Date(time).toISOString().slice(0, 16).replace('T', ' ')
      return `${kind.padEnd(5)} ${stamp}   ${height.toFixed(2)} m`
    })
    .join('\n')
}

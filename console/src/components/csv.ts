/**
 * Lines of a file that spreadsheets open: Excel reads UTF-8 only after a byte order mark. A text that they would take for a
 * formula is kept a text.
 */
export const toCsv = (lines: readonly (readonly (string | number | null)[])[]): Blob =>
  new Blob(['\uFEFF', ...lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`)], { type: 'text/csv' })

const cellOf = (value: string | number | null): string => {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

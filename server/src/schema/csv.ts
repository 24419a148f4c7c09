/** A line of a CSV file (RFC 4180). */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

/** Text that a spreadsheet would run as a formula is prefixed with an apostrophe, except phone numbers. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) && !/^\+[\d\s()-]+$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

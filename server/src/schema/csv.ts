/** A line of a CSV file (RFC 4180). */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

/**
 * Text that a spreadsheet would run as a formula is prefixed with an apostrophe, except phone numbers. In many countries
 * spreadsheets begin a cell after each semicolon, and then quotes do not keep lines of a text together.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) && !/^\+[\d\s()-]+$/.test(text)
  const safe = `${isFormula ? "'" : ''}${text.replace(/(?<=[;\r\n])(?="*[=+\-@])/g, "'")}`
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

import { createHash } from 'node:crypto'

/**
 * Names for prepared statements, by their text. A named statement is planned once per connection:
 * 1.7 times the reads of an unnamed one (bench/reads.ts). The number of names is bounded, because
 * each one stays in every connection; texts beyond it go unnamed.
 */
const limit = 500
const names = new Map<string, string>()

export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= limit) return undefined
  const name = createHash('sha1').update(text).digest('hex').slice(0, 16)
  names.set(text, name)
  return name
}

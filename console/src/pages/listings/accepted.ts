import type { AuditEntry } from '@vacancy/client'

export interface Accepted {
  field: string
  value: unknown
  at: string
}

/** What the PMS last said yes to, field by field, as far back as the history given reaches. */
export const acceptedFrom = (newestFirst: AuditEntry[]): Accepted[] => {
  const accepted = new Map<string, Accepted>()
  for (const entry of newestFirst) {
    if (entry.status !== 'completed') continue
    for (const { field, after } of entry.changes) {
      if (!accepted.has(field))
        accepted.set(field, { field, value: after, at: entry.finished_at ?? entry.created_at })
    }
  }
  return [...accepted.values()]
}

/** `base_price_cents` is a column; `Base price` is a word. */
export const nameOf = (field: string): string => {
  const words = field.replace(/_cents$/, '').replaceAll(/[_.]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

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
  return [...accepted.values()].toSorted((a, b) => weightOf(a) - weightOf(b))
}

/** An attempt is written down when it begins and when it ends; the beginning of an ended one says nothing new. */
export const withoutBeginnings = (newestFirst: AuditEntry[]): AuditEntry[] => {
  const ended = new Set<string>()
  return newestFirst.filter((entry) => {
    const attempt = `${entry.job_id} ${entry.attempt}`
    if (entry.action === 'sync.started') return !ended.has(attempt)
    ended.add(attempt)
    return true
  })
}

/** `base_price_cents` is a column; `Base price` is a word. */
export const nameOf = (field: string): string => {
  const words = field
    .replace(/_cents$/, '')
    .replaceAll(/[_.]/g, ' ')
    .replace(/^open$/, 'on sale')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const first = ['base_price_cents', 'name', 'open', 'quantity', 'max_guests']

const weightOf = ({ field }: Accepted) => (first.includes(field) ? first.indexOf(field) : first.length)

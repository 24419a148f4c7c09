import type { AuditEntry } from '@vacancy/client'

export interface AcceptedValue {
  field: string
  value: unknown
  at: string
}

/** The last value of each field that the PMS accepted, as far back as the given history goes. */
export const acceptedFrom = (newestFirst: AuditEntry[]): AcceptedValue[] => {
  const accepted = new Map<string, AcceptedValue>()
  for (const entry of newestFirst) {
    if (entry.status !== 'completed') continue
    for (const { field, after } of entry.changes) {
      if (!accepted.has(field))
        accepted.set(field, { field, value: after, at: entry.finished_at ?? entry.created_at })
    }
  }
  return [...accepted.values()].toSorted((a, b) => positionOf(a) - positionOf(b))
}

/** An attempt is recorded when it starts and when it ends; the start of an ended attempt is left out. */
export const withoutEndedStarts = (newestFirst: AuditEntry[]): AuditEntry[] => {
  const ended = new Set<string>()
  return newestFirst.filter((entry) => {
    const attempt = `${entry.job_id} ${entry.attempt}`
    if (entry.action === 'sync.started') return !ended.has(attempt)
    ended.add(attempt)
    return true
  })
}

/** A member without a translation: `base_price_cents` becomes `Base price`. */
export const nameOf = (field: string): string => {
  const words = field
    .replace(/_cents$/, '')
    .replaceAll(/[_.]/g, ' ')
    .replace(/^open$/, 'on sale')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const shownFirst = ['base_price_cents', 'name', 'open', 'quantity', 'max_guests']

const positionOf = ({ field }: AcceptedValue) =>
  shownFirst.includes(field) ? shownFirst.indexOf(field) : shownFirst.length

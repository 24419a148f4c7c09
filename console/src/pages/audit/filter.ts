import type { contract } from '@vacancy/client'

import { date, oneOf, readSearch, text } from '../../components/read-search.ts'

export type AuditKind = contract.AuditLogEntry['kind']

export const auditKinds = [
  'unit',
  'space',
  'rate_plan',
  'charge',
  'season',
  'calendar',
  'booking',
  'payment_intent',
  'payment_refund',
  'sales_stop',
  'channel_target',
  'channel_listing',
  'calendar_feed',
  'media',
  'webhook_endpoint',
  'member',
  'organization',
  'account',
  'guest',
] as const satisfies readonly AuditKind[]

/** Which entries of the audit log are shown; the days are those of the person. */
export const readAuditFilter = readSearch({
  q: text,
  kind: oneOf(auditKinds),
  from: date,
  to: date,
  record: text,
})

export type AuditFilter = ReturnType<typeof readAuditFilter>

/** The filter as the API knows it. */
export const auditQuery = ({ q, kind, from, to, record }: AuditFilter) => ({
  ...(q && { q }),
  ...(kind && { kind: [kind] }),
  ...(record && { record_id: [record] }),
  ...(from && { from: startOf(from) }),
  ...(to && { to: startOf(to, 1) }),
})

const startOf = (day: string, daysLater = 0) => {
  const start = new Date(`${day}T00:00`)
  start.setDate(start.getDate() + daysLater)
  return start.toISOString()
}

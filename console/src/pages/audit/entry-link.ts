import type { LinkProps } from '@tanstack/react-router'
import type { contract } from '@vacancy/client'

import { screenLink } from '../../components/screen-link.ts'
import type { AuditKind } from './filter.ts'

const screens: Partial<Record<AuditKind, (id: string) => string>> = {
  unit: (id) => `/units/${id}`,
  space: (id) => `/spaces/${id}`,
  booking: (id) => `/bookings/${id}`,
  payment_intent: () => '/payments',
  channel_target: (id) => `/channels/${id}`,
  channel_listing: (id) => `/listings/${id}`,
  webhook_endpoint: (id) => `/settings/webhooks/${id}`,
  organization: () => '/settings/organization',
  member: () => '/settings/members',
  calendar: () => '/calendar',
  sales_stop: () => '/stop-sell',
}

/** Where the record of an entry is shown; undefined when it is gone or has no screen. */
export const entryLink = ({ kind, record_id, action }: contract.AuditLogEntry): LinkProps | undefined => {
  if (action === 'deleted') return undefined
  if (kind === 'payment_refund') return screenLink('/payments', { view: 'refunds' })
  const path = screens[kind]?.(record_id ?? '')
  return path === undefined ? undefined : screenLink(path)
}

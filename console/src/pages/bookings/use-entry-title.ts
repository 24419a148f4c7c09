import type { contract } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { timelineMessages } from './timeline-messages.ts'

const changes = [
  'created',
  'confirmed',
  'checked_in',
  'checked_out',
  'cancelled',
  'declined',
  'expired',
  'no_show',
  'deleted',
] as const
const mailStates = ['sent', 'queued', 'failed', 'skipped'] as const

/** What an entry of the timeline says. */
export const useEntryTitle = () => {
  const text = useMessages(timelineMessages)
  const format = useFormat()
  return ({
    kind,
    action,
    status,
    amount_cents,
    currency,
    recipient,
    name,
  }: contract.TimelineEntry): string => {
    const amount = amount_cents === null || !currency ? '' : format.money(amount_cents, currency)
    if (kind === 'push') return text(action === 'sync.failed' ? 'notPushed' : 'pushed', { name: name ?? '' })
    if (kind === 'notification')
      return text(mailStates.find((one) => one === status) ?? 'sent', { recipient: recipient ?? '' })
    if (kind === 'refund' && action === 'dispute')
      return text(status === 'canceled' ? 'givenBack' : 'taken', { amount })
    if (kind !== 'change') return text(kind, { amount })
    return text(changes.find((one) => action === `booking.${one}`) ?? 'changed')
  }
}

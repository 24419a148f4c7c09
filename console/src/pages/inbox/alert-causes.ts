import type { contract } from '@vacancy/client'

/** Alerts that are shown as failures; the others are warnings. */
export const urgentKinds: readonly contract.Alert['kind'][] = [
  'target.error',
  'payment.disputed',
  'refund.failed',
]

/** Under which name `causeMessages` describes alerts of one kind: disputes that are all lost, or all won, have their own. */
export const causeOf = (kind: contract.Alert['kind'], alerts: readonly Pick<contract.Alert, 'details'>[]) => {
  if (kind !== 'payment.disputed') return kind
  const disputes = alerts.flatMap(
    ({ details }) => (details as { disputes?: { status: string }[] }).disputes ?? [],
  )
  if (disputes.every(({ status }) => status === 'lost')) return 'payment.lost'
  return disputes.every(({ status }) => status === 'won') ? 'payment.won' : kind
}

import type { contract } from '@vacancy/client'

/** Alerts that are shown as failures; the others are warnings. */
export const urgentKinds: readonly contract.Alert['kind'][] = [
  'target.error',
  'payment.disputed',
  'refund.failed',
]

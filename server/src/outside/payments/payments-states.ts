/** Where a payment can stand. */
export const intentStatuses = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'canceled',
  'succeeded',
] as const
export type IntentStatus = (typeof intentStatuses)[number]

/** Nothing leads out of these. */
export const isFinal = (status: IntentStatus) => status === 'succeeded' || status === 'canceled'

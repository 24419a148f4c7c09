import { PaymentsFailure } from './payments-failure.ts'
import { NotTrusted, type Payments } from './payments.ts'

const none = () =>
  Promise.reject(
    new PaymentsFailure('not_accepted', 'No payment provider is configured: set PAYMENTS_API_KEY.'),
  )

/** No provider: nothing can be paid, and nothing is wrong with that. */
export const noPayments: Payments = {
  isConfigured: false,
  open: none,
  find: none,
  findOpened: none,
  cancel: none,
  capture: none,
  refund: none,
  readNotice: () => Promise.reject(new NotTrusted('No payment provider is configured.')),
  reachable: () => Promise.resolve(true),
}

import { handle } from '#queue/job.ts'
import { ConfirmPaid, SettleCancellation } from '../bookings/booking-jobs.ts'
import { confirmPaid } from './confirm-paid.ts'
import { SendRefund, SettlePayment } from './payment-jobs.ts'
import { sendRefund } from './send-refund.ts'
import { settleCancellation } from './settle-cancellation.ts'
import { settlePayment, type Means } from './settle-payment.ts'

export const paymentJobs = (means: Means) => [
  handle(SettlePayment, (scope, { intentId }) => settlePayment(scope, means, intentId)),
  handle(SendRefund, (scope, { refundId }) => sendRefund(scope, means.payments, refundId)),
  handle(ConfirmPaid, (scope, { bookingId }) => confirmPaid(scope, bookingId)),
  handle(SettleCancellation, (scope, { bookingId }) => settleCancellation(scope, bookingId)),
]

import { useCallback } from 'react'

import { useMessages } from './language.tsx'
import { paymentFailureMessages } from './payment-failure-messages.ts'

type Reason = Exclude<keyof (typeof paymentFailureMessages)['en'], 'other'>

/** The codes that Stripe documents: for declined cards, failed payments and failed refunds. */
const codes: Record<Reason, string> = {
  account:
    'invalid_account no_account account_closed bank_account_restricted bank_account_unusable new_account_information_available',
  address:
    'incorrect_zip incorrect_address postal_code_invalid payment_method_billing_details_address_missing',
  amount: 'invalid_amount invalid_charge_amount amount_too_small amount_too_large',
  authentication:
    'authentication_required approve_with_id payment_intent_authentication_failure payment_method_customer_decline',
  balance: 'balance_insufficient',
  canceled: 'merchant_request',
  card: 'incorrect_number invalid_number incorrect_cvc invalid_cvc invalid_expiry_month invalid_expiry_year',
  closed: 'expired_or_canceled_card',
  declined:
    'generic_decline card_declined declined do_not_honor do_not_try_again no_action_taken not_permitted call_issuer restricted_card security_violation payment_intent_payment_attempt_failed payment_method_provider_decline',
  disputed: 'charge_disputed refund_disputed_payment charge_for_pending_refund_disputed',
  duplicate: 'duplicate_transaction',
  expired: 'expired_card',
  fraud: 'fraudulent merchant_blacklist',
  funds: 'insufficient_funds',
  hold: 'capture_charge_authorization_expired charge_expired_for_capture',
  limit: 'card_velocity_exceeded withdrawal_count_limit_exceeded charge_exceeds_source_limit',
  lost: 'lost_card stolen_card pickup_card lost_or_stolen_card',
  pin: 'incorrect_pin invalid_pin pin_try_exceeded offline_pin_required online_or_offline_pin_required',
  refunded: 'charge_already_refunded',
  revoked:
    'revocation_of_authorization revocation_of_all_authorizations stop_payment_order debit_not_authorized payment_intent_mandate_invalid',
  testMode: 'testmode_decline live_mode_test_card testmode_charges_only',
  tooLate: 'payment_intent_payment_attempt_expired',
  tooOften: 'card_decline_rate_limit_exceeded',
  unavailable:
    'issuer_not_available processing_error reenter_transaction try_again_later payment_method_provider_timeout',
  unsupported:
    'card_not_supported currency_not_supported service_not_allowed transaction_not_allowed invalid_card_type payment_method_not_available payment_method_currency_mismatch payment_intent_incompatible_payment_method sepa_unsupported_account',
}

const reasons = new Map(
  Object.entries(codes).flatMap(([reason, list]) =>
    list.split(' ').map((code) => [code, reason as Reason] as const),
  ),
)

/** What a failure code of the payment provider means; a code without a text is shown as it is. */
export const usePaymentFailure = () => {
  const text = useMessages(paymentFailureMessages)
  return useCallback(
    (code: string, kind: 'payment' | 'refund' = 'payment'): string => {
      // A refund is paid by the account of the operator.
      const reason = kind === 'refund' && code === 'insufficient_funds' ? 'balance' : reasons.get(code)
      return reason ? text(reason) : text('other', { code: code.replaceAll('_', ' ') })
    },
    [text],
  )
}

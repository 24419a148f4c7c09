/** What a payment method of the test mode does when it is charged. */
type Outcome =
  { is: 'paid' } | { is: 'declined'; code: string; declineCode?: string } | { is: 'asks' } | { is: 'slow' }

const declined = (declineCode: string): Outcome => ({ is: 'declined', code: 'card_declined', declineCode })

const methods: Record<string, Outcome> = {
  pm_card_visa: { is: 'paid' },
  pm_card_mastercard: { is: 'paid' },
  pm_card_chargeDeclined: declined('generic_decline'),
  pm_card_chargeDeclinedInsufficientFunds: declined('insufficient_funds'),
  pm_card_chargeDeclinedLostCard: declined('lost_card'),
  pm_card_chargeDeclinedExpiredCard: { is: 'declined', code: 'expired_card' },
  pm_card_authenticationRequired: { is: 'asks' },
  pm_usBankAccount_success: { is: 'slow' },
}

export const isMethod = (id: string) => Object.hasOwn(methods, id)
export const outcomeOf = (id: string): Outcome => methods[id]!
export const methodIds = Object.keys(methods)

import { randomBytes } from 'node:crypto'
import { metadataOf, oneOf, assertKnown, textOf, wholeOf, type Form } from './form.ts'
import { missing, ApiError } from './errors.ts'

export type Status =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'requires_capture'
  | 'canceled'
  | 'succeeded'

export type Intent = {
  id: string
  object: 'payment_intent'
  amount: number
  amount_capturable: number
  amount_received: number
  canceled_at: number | null
  cancellation_reason: string | null
  capture_method: 'automatic' | 'automatic_async' | 'manual'
  client_secret: string
  confirmation_method: 'automatic'
  created: number
  currency: string
  description: string | null
  last_payment_error: object | null
  latest_charge: string | null
  livemode: false
  metadata: Record<string, string>
  next_action: object | null
  payment_method: string | null
  payment_method_types: string[]
  status: Status
}

/** The least amount that Stripe takes, where it is not the equivalent of half a dollar. */
const minAmounts: Record<string, number> = { usd: 50, eur: 50, gbp: 30, chf: 50, jpy: 50 }
const maxAmount = 99_999_999

const known = [
  'amount',
  'currency',
  'capture_method',
  'metadata',
  'description',
  'payment_method',
  'payment_method_types',
  'automatic_payment_methods',
  'confirm',
  'return_url',
  'expand',
]

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** Reads a new payment, which is not paid yet. */
export function readIntent(form: Form, created: number): Intent {
  assertKnown(form, known)
  const amount = wholeOf(form, 'amount')
  const currency = textOf(form, 'currency')?.toLowerCase()
  for (const [param, value] of Object.entries({ amount, currency }))
    if (value === undefined)
      throw new ApiError(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  assertAmount(amount!, currency!)
  const method = textOf(form, 'payment_method') ?? null
  if (method !== null && !isMethod(method)) throw missing('PaymentMethod', method, 'payment_method')
  const id = newId('pi')
  return {
    id,
    object: 'payment_intent',
    amount: amount!,
    amount_capturable: 0,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    capture_method:
      oneOf(form, 'capture_method', ['automatic', 'automatic_async', 'manual']) ?? 'automatic_async',
    client_secret: `${id}_secret_${randomBytes(12).toString('hex')}`,
    confirmation_method: 'automatic',
    created,
    currency: currency!,
    description: textOf(form, 'description') ?? null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: metadataOf(form),
    next_action: null,
    payment_method: method,
    payment_method_types: ['card'],
    status: method === null ? 'requires_payment_method' : 'requires_confirmation',
  }
}

function assertAmount(amount: number, currency: string) {
  if (!/^[a-z]{3}$/.test(currency)) throw new ApiError(`Invalid currency: ${currency}`, { param: 'currency' })
  if (amount < 1) throw new ApiError('This value must be greater than or equal to 1.', { param: 'amount' })
  const min = minAmounts[currency] ?? 1
  if (amount < min)
    throw new ApiError(`Amount must be at least ${min} ${currency}.`, {
      code: 'amount_too_small',
      param: 'amount',
    })
  if (amount > maxAmount)
    throw new ApiError(`Amount must be no more than ${maxAmount} ${currency}.`, {
      code: 'amount_too_large',
      param: 'amount',
    })
}

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

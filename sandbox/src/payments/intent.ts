import { randomBytes } from 'node:crypto'
import { metadataOf, oneOf, refuseUnknown, textOf, wholeOf, type Form } from './form.ts'
import { isMethod } from './methods.ts'
import { missing, Refusal } from './refusal.ts'

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

/** The least that Stripe takes, where it is not the equivalent of half a dollar. */
const leastAmounts: Record<string, number> = { usd: 50, eur: 50, gbp: 30, chf: 50, jpy: 50 }
const mostAmount = 99_999_999

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

/** A payment that is asked for; nothing is taken yet. */
export function readIntent(form: Form, created: number): Intent {
  refuseUnknown(form, known)
  const amount = wholeOf(form, 'amount')
  const currency = textOf(form, 'currency')?.toLowerCase()
  for (const [param, value] of Object.entries({ amount, currency }))
    if (value === undefined)
      throw new Refusal(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  refuseAmount(amount!, currency!)
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

function refuseAmount(amount: number, currency: string) {
  if (!/^[a-z]{3}$/.test(currency)) throw new Refusal(`Invalid currency: ${currency}`, { param: 'currency' })
  if (amount < 1) throw new Refusal('This value must be greater than or equal to 1.', { param: 'amount' })
  const least = leastAmounts[currency] ?? 1
  if (amount < least)
    throw new Refusal(`Amount must be at least ${least} ${currency}.`, {
      code: 'amount_too_small',
      param: 'amount',
    })
  if (amount > mostAmount)
    throw new Refusal(`Amount must be no more than ${mostAmount} ${currency}.`, {
      code: 'amount_too_large',
      param: 'amount',
    })
}

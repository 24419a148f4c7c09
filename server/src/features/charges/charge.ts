import { Type, type Static } from 'typebox'
import { Invalid, semanticError } from '#errors.ts'
import { Cents, Count, Currency, Id, Name, echoes, nullable, oneOf, owned, stamped } from '#fields.ts'

export const chargeKinds = ['fee', 'tax', 'discount', 'deposit'] as const
export const chargeBases = ['stay', 'night', 'room', 'room_night', 'guest', 'guest_night', 'percent'] as const
export const chargeStatuses = ['active', 'inactive'] as const

const Nights = Count(1, 999)
const Percent = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'With four decimal places at most.',
  example: 7.25,
})

const place = {
  space_id: nullable({ ...Id, description: 'For every unit of this space.' }),
  unit_id: nullable({ ...Id, description: 'For this unit only.' }),
}
const decided = {
  name: Name,
  kind: oneOf(...chargeKinds),
  basis: Type.Unsafe<(typeof chargeBases)[number]>({
    ...oneOf(...chargeBases),
    description: 'What is counted: `stay` is once for a booking, `percent` is a share of the price.',
  }),
  amount_cents: nullable({ ...Cents, description: 'Minor units for each of what is counted.' }),
  percent: nullable(Percent),
  applies_to: nullable(
    Type.Unsafe<'base' | 'base_and_fees'>({
      ...oneOf('base', 'base_and_fees'),
      description:
        'What a percentage is of: the nights after discounts, for a tax also with fees. That of a discount is of the nights alone, that of a deposit of the total.',
    }),
  ),
  included: Type.Boolean({ description: 'A tax that the prices contain already: shown, not added.' }),
  min_nights: nullable({ ...Nights, description: 'Only for stays of so many nights or more.' }),
  max_nights: nullable({ ...Nights, description: 'Only for stays of so many nights or fewer.' }),
  charged_nights: nullable({ ...Nights, description: 'Of a stay no more nights than these are counted.' }),
  guests_included: { ...Count(0, 1_000), description: 'Guests in each room who are not counted.' },
  status: oneOf(...chargeStatuses),
}

/** What a stay costs, or costs less, beside its nights. */
export const Charge = Type.Object(
  { ...owned, ...place, ...decided, currency: Currency, ...stamped },
  {
    title: 'Charge',
    description:
      'A fee, tax, discount or deposit. Each is computed for itself and rounded half up to a whole minor unit. A deposit is given back: it is no part of the total.',
  },
)

const { name, kind, basis, ...rest } = decided
const optional = {
  ...Type.Partial(Type.Object({ ...place, ...rest, currency: Currency })).properties,
  account_id: Type.Optional(Id),
  ...echoes('id', 'org_id', 'created_at', 'updated_at'),
}

export const ChargeInput = Type.Object(
  { name, kind, basis, ...optional },
  {
    title: 'ChargeInput',
    additionalProperties: false,
    description: 'Names either a space or a unit, and an amount or, for `percent`, a percentage.',
    example: { name: 'City tax', kind: 'tax', basis: 'guest_night', amount_cents: 200 },
  },
)
export const ChargePatch = Type.Object(
  { name: Type.Optional(name), kind: Type.Optional(kind), basis: Type.Optional(basis), ...optional },
  { title: 'ChargePatch', example: { name: 'City tax' }, additionalProperties: false },
)
export type ChargeInput = Static<typeof ChargeInput>
export type ChargeFields = Pick<
  Static<typeof Charge>,
  keyof typeof decided | keyof typeof place | 'account_id' | 'currency'
>

/** Where a charge holds, with what follows from that. */
export type Place = Pick<ChargeFields, keyof typeof place | 'account_id' | 'currency'>

/** The whole charge of a POST or PUT: what the body leaves out becomes the default, or follows from the place. */
export const completeCharge = (
  input: ChargeInput,
  place: Pick<Place, 'account_id' | 'currency'>,
): ChargeFields => ({
  space_id: input.space_id ?? null,
  unit_id: input.unit_id ?? null,
  account_id: input.account_id ?? place.account_id,
  currency: input.currency ?? place.currency,
  name: input.name,
  kind: input.kind,
  basis: input.basis,
  amount_cents: input.amount_cents ?? null,
  percent: input.percent ?? null,
  applies_to: input.applies_to ?? null,
  included: input.included ?? false,
  min_nights: input.min_nights ?? null,
  max_nights: input.max_nights ?? null,
  charged_nights: input.charged_nights ?? null,
  guests_included: input.guests_included ?? 0,
  status: input.status ?? 'active',
})

/** A charge is for a space or for a unit, and a POST or PUT says for which. @throws Invalid */
export function assertOnePlace({ space_id, unit_id }: ChargeInput): void {
  if (Boolean(space_id) !== Boolean(unit_id)) return
  const message = 'Name either a space or a unit that the charge is for.'
  const faults = ['/space_id', '/unit_id'].map((pointer) => ({ pointer, code: 'required', message }))
  throw new Invalid('semantic-error', faults)
}

/** A percentage is of the nights unless it says otherwise. */
export const completed = (fields: ChargeFields): ChargeFields => ({
  ...fields,
  applies_to: fields.basis === 'percent' ? (fields.applies_to ?? 'base') : fields.applies_to,
})

/** What follows from the space or unit cannot be chosen. @throws Invalid */
export function refuseOtherPlace(next: ChargeFields, place: Place): void {
  for (const member of ['space_id', 'unit_id'] as const)
    if ((next[member]?.toLowerCase() ?? null) !== place[member])
      throw semanticError(member, 'A charge stays with its space or unit.')
  if (next.account_id !== place.account_id)
    throw semanticError('account_id', 'account_id must be the account of the space or unit.')
  if (next.currency !== place.currency)
    throw semanticError('currency', `currency must be that of the space or unit, ${place.currency}.`)
}

/** @throws Invalid when the members contradict each other. */
export function refuseContradiction(charge: ChargeFields): void {
  const { kind, basis, amount_cents, percent, applies_to, min_nights, max_nights } = charge
  if (basis === 'percent') {
    if (percent === null) throw semanticError('percent', 'A charge by percent needs its percent.', 'required')
    if (amount_cents !== null) throw semanticError('amount_cents', 'A charge by percent has no amount.')
    if (!hasFourPlaces(percent)) throw semanticError('percent', 'percent may have four decimal places.')
  } else {
    if (amount_cents === null)
      throw semanticError('amount_cents', `A charge by ${basis} needs its amount.`, 'required')
    if (percent !== null) throw semanticError('percent', 'Only a charge by percent has a percent.')
    if (applies_to !== null) throw semanticError('applies_to', 'Only a percentage applies to something.')
  }
  if (charge.included && kind !== 'tax')
    throw semanticError('included', 'Only a tax can be included in the prices.')
  if (applies_to === 'base_and_fees' && kind !== 'tax')
    throw semanticError('applies_to', 'Only a tax can apply to the fees too.')
  if (charge.charged_nights !== null && !basis.endsWith('night'))
    throw semanticError('charged_nights', 'Only a charge by the night counts nights.')
  if (charge.guests_included > 0 && !basis.startsWith('guest'))
    throw semanticError('guests_included', 'Only a charge by the guest counts guests.')
  if ((min_nights ?? 1) > (max_nights ?? Infinity))
    throw semanticError('max_nights', 'max_nights is less than min_nights.')
}

const hasFourPlaces = (percent: number) => Number(percent.toFixed(4)) === percent

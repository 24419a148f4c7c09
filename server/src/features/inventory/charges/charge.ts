import { Type, type Static } from 'typebox'
import { Invalid, semanticError } from '#errors.ts'
import {
  Cents,
  Count,
  Currency,
  Id,
  Name,
  readOnlyFields,
  nullable,
  oneOf,
  ownedFields,
  timestampFields,
} from '#schema/fields.ts'

export const chargeKinds = ['fee', 'tax', 'discount', 'deposit'] as const
export const chargeBases = ['stay', 'night', 'room', 'room_night', 'guest', 'guest_night', 'percent'] as const
export const chargeStatuses = ['active', 'inactive'] as const

const Nights = Count(1, 999)
const Percent = Type.Number({
  minimum: 0,
  maximum: 100,
  description: 'At most four decimal places.',
  example: 7.25,
})

const place = {
  space_id: nullable({ ...Id, description: 'For every unit of this space.' }),
  unit_id: nullable({ ...Id, description: 'For this unit only.' }),
}
const editable = {
  name: Name,
  kind: oneOf(...chargeKinds),
  basis: Type.Unsafe<(typeof chargeBases)[number]>({
    ...oneOf(...chargeBases),
    description:
      'What the amount is multiplied by: `stay` is once for a booking; `percent` is a percentage of the price.',
  }),
  amount_cents: nullable({ ...Cents, description: 'Minor units for each unit of the basis.' }),
  percent: nullable(Percent),
  applies_to: nullable(
    Type.Unsafe<'base' | 'base_and_fees'>({
      ...oneOf('base', 'base_and_fees'),
      description:
        'What a percentage applies to: the nights after discounts, for a tax optionally with fees. A discount always applies to the nights, and a deposit to the total.',
    }),
  ),
  included: Type.Boolean({
    description: 'Whether the prices include the tax, which is then shown but not added.',
  }),
  min_nights: nullable({ ...Nights, description: 'The minimum length of the stay.' }),
  max_nights: nullable({ ...Nights, description: 'The maximum length of the stay.' }),
  charged_nights: nullable({ ...Nights, description: 'The maximum number of nights that are charged.' }),
  guests_included: {
    ...Count(0, 1_000),
    description: 'The number of guests in each room who are not charged.',
  },
  status: oneOf(...chargeStatuses),
}

/** A fee, tax, discount or deposit of a stay. */
export const Charge = Type.Object(
  { ...ownedFields, ...place, ...editable, currency: Currency, ...timestampFields },
  {
    title: 'Charge',
    description:
      'A fee, tax, discount or deposit. Each is calculated separately and rounded half up to a minor unit. A deposit is refundable and not part of the total.',
  },
)

const { name, kind, basis, ...rest } = editable
const optional = {
  ...Type.Partial(Type.Object({ ...place, ...rest, currency: Currency })).properties,
  account_id: Type.Optional(Id),
  ...readOnlyFields('id', 'org_id', 'created_at', 'updated_at'),
}

export const ChargeInput = Type.Object(
  { name, kind, basis, ...optional },
  {
    title: 'ChargeInput',
    additionalProperties: false,
    description: 'Has either a space or a unit, and an amount or, for `percent`, a percentage.',
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
  keyof typeof editable | keyof typeof place | 'account_id' | 'currency'
>

/** The space or unit of a charge, and the fields that a charge takes from it. */
export type ChargePlace = Pick<ChargeFields, keyof typeof place | 'account_id' | 'currency'>

/** All fields of the charge in a POST or PUT; a missing one has its default, or is that of the place. */
export const withChargeDefaults = (
  input: ChargeInput,
  place: Pick<ChargePlace, 'account_id' | 'currency'>,
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

/** A POST or PUT names exactly one of space and unit. @throws Invalid */
export function assertOnePlace({ space_id, unit_id }: ChargeInput): void {
  if (Boolean(space_id) !== Boolean(unit_id)) return
  const message = 'Name either a space or a unit that the charge is for.'
  const errors = ['/space_id', '/unit_id'].map((pointer) => ({ pointer, code: 'required', message }))
  throw new Invalid('semantic-error', errors)
}

/** A percentage is of the nights by default. */
export const withDefaultAppliesTo = (fields: ChargeFields): ChargeFields => ({
  ...fields,
  applies_to: fields.basis === 'percent' ? (fields.applies_to ?? 'base') : fields.applies_to,
})

/** A charge keeps its space or unit, and has its account and currency. @throws Invalid */
export function assertSamePlace(next: ChargeFields, place: ChargePlace): void {
  for (const member of ['space_id', 'unit_id'] as const)
    if (next[member] !== place[member])
      throw semanticError(member, 'A charge cannot move to another space or unit.')
  if (next.account_id !== place.account_id)
    throw semanticError('account_id', 'account_id must be the account of the space or unit.')
  if (next.currency !== place.currency)
    throw semanticError('currency', `currency must be that of the space or unit, ${place.currency}.`)
}

/** @throws Invalid when fields contradict each other */
export function assertConsistent(charge: ChargeFields): void {
  const { kind, basis, amount_cents, percent, applies_to, min_nights, max_nights } = charge
  if (basis === 'percent') {
    if (percent === null) throw semanticError('percent', 'A charge by percent needs its percent.', 'required')
    if (amount_cents !== null) throw semanticError('amount_cents', 'A charge by percent has no amount.')
    if (!hasFourDecimalsAtMost(percent))
      throw semanticError('percent', 'percent may have four decimal places.')
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

const hasFourDecimalsAtMost = (percent: number) => Number(percent.toFixed(4)) === percent

import type { contract } from '@vacancy/client'

import type { FieldReader } from '../../components/read-fields.ts'
import { writePlain } from '../../i18n/money.ts'

export type Charge = contract.Charge

/** What charges belong to: one unit, or every unit of a space. */
export interface ChargePlace {
  spaceId: string
  unitId: string | null
  currency: string
}

export const kinds = ['fee', 'tax', 'discount', 'deposit'] as const
export const bases = ['stay', 'night', 'room', 'room_night', 'guest', 'guest_night', 'percent'] as const

const typed = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : String(value)

export const draftOf = (charge: Charge | null, currency: string, locale: string) => ({
  name: charge?.name ?? '',
  kind: charge?.kind ?? 'fee',
  basis: charge?.basis ?? 'stay',
  amount_cents:
    charge && charge.amount_cents !== null ? writePlain(charge.amount_cents, currency, locale) : '',
  percent: typed(charge?.percent),
  applies_to: charge?.applies_to ?? 'base',
  included: charge?.included ? 'yes' : 'no',
  min_nights: typed(charge?.min_nights),
  max_nights: typed(charge?.max_nights),
  charged_nights: typed(charge?.charged_nights),
  guests_included: typed(charge?.guests_included || null),
  status: charge?.status ?? 'active',
})

export type ChargeDraft = ReturnType<typeof draftOf>

/** Which fields a charge of this kind and basis has. */
export const fieldsOf = ({ kind, basis }: ChargeDraft) => ({
  percent: basis === 'percent',
  applies_to: basis === 'percent' && kind === 'tax',
  included: kind === 'tax',
  charged_nights: basis.endsWith('night'),
  guests_included: basis.startsWith('guest'),
})

export const bodyOf = (read: FieldReader, draft: ChargeDraft, currency: string) => {
  const has = fieldsOf(draft)
  return {
    name: read.text('name'),
    kind: draft.kind,
    basis: draft.basis,
    amount_cents: has.percent ? null : read.money('amount_cents', currency),
    percent: has.percent ? read.number('percent') : null,
    applies_to: has.percent ? (has.applies_to ? (draft.applies_to as 'base') : 'base') : null,
    included: has.included && draft.included === 'yes',
    min_nights: read.optionalNumber('min_nights'),
    max_nights: read.optionalNumber('max_nights'),
    charged_nights: has.charged_nights ? read.optionalNumber('charged_nights') : null,
    guests_included: has.guests_included ? (read.optionalNumber('guests_included') ?? 0) : 0,
    status: draft.status,
  }
}

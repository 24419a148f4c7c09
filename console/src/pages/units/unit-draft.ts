import type { Unit, contract } from '@vacancy/client'

import type { FieldReader } from '../../components/read-fields.ts'
import { writePlain } from '../../i18n/money.ts'

export const draftOf = (unit: Unit, locale: string) => ({
  name: unit.name,
  space_id: unit.space_id,
  type: unit.type as string,
  status: unit.status as string,
  bedrooms: String(unit.bedrooms),
  bathrooms: new Intl.NumberFormat(locale, { useGrouping: false }).format(unit.bathrooms),
  max_guests: String(unit.max_guests),
  quantity: String(unit.quantity),
  base_price_cents: writePlain(unit.base_price_cents, unit.currency, locale),
  min_price_cents:
    unit.min_price_cents === null ? '' : writePlain(unit.min_price_cents, unit.currency, locale),
})

export type UnitDraft = ReturnType<typeof draftOf>

export const emptyDraft: UnitDraft = {
  name: '',
  space_id: '',
  type: 'apartment',
  status: 'active',
  bedrooms: '1',
  bathrooms: '1',
  max_guests: '2',
  quantity: '1',
  base_price_cents: '',
  min_price_cents: '',
}

/** What is sent: the price 0 is confirmed by a person before. */
export const bodyOf = (read: FieldReader, draft: UnitDraft, currency: string) => {
  const base_price_cents = read.money('base_price_cents', currency)
  return {
    name: read.text('name'),
    space_id: draft.space_id,
    type: draft.type as contract.UnitInput['type'] & string,
    status: draft.status as Unit['status'],
    bedrooms: read.number('bedrooms'),
    bathrooms: read.number('bathrooms'),
    max_guests: read.number('max_guests'),
    quantity: read.number('quantity'),
    base_price_cents,
    min_price_cents: read.optionalMoney('min_price_cents', currency),
  }
}

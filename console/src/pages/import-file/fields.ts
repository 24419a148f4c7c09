import type { contract } from '@vacancy/client'

export type FileImport = contract.FileImport
export type ImportKind = FileImport['kind']
export type FieldName = FileImport['mapping'][number]['field']

export const importKinds = ['units', 'rates', 'bookings'] as const satisfies readonly ImportKind[]

/** What a file of each kind can have. */
export const fieldsOf: Record<ImportKind, readonly FieldName[]> = {
  units: [
    ...(['reference', 'name', 'space', 'type', 'bedrooms', 'bathrooms', 'max_guests', 'quantity'] as const),
    ...(['base_price', 'min_price', 'currency', 'address', 'city', 'state', 'zip', 'country'] as const),
    ...(['timezone', 'description'] as const),
  ],
  rates: [
    ...(['unit', 'space', 'rate_plan', 'date_from', 'date_to', 'price', 'min_stay_arrival'] as const),
    ...(['min_stay_through', 'max_stay', 'closed_to_arrival', 'closed_to_departure', 'stop_sell'] as const),
  ],
  bookings: [
    ...(['reference', 'unit', 'space', 'guest_name', 'guest_email', 'guest_phone', 'arrival'] as const),
    ...(['departure', 'guests', 'rooms', 'total', 'currency', 'status', 'notes'] as const),
  ],
}

/** Without these nothing can be imported. */
export const requiredFieldsOf: Record<ImportKind, readonly FieldName[]> = {
  units: ['name', 'base_price'],
  rates: ['unit', 'date_from'],
  bookings: ['unit', 'guest_name', 'arrival', 'departure'],
}

const dateFields: readonly FieldName[] = ['date_from', 'date_to', 'arrival', 'departure']

export const hasDates = ({ mapping }: Pick<FileImport, 'mapping'>): boolean =>
  mapping.some(({ field }) => dateFields.includes(field))

export const missingFieldsOf = ({ kind, mapping }: Pick<FileImport, 'kind' | 'mapping'>): FieldName[] =>
  requiredFieldsOf[kind].filter((name) => !mapping.some(({ field }) => field === name))

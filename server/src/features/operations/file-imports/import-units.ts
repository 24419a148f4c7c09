import { countries } from '#schema/fields.ts'
import { isTimeZone } from '#schema/nights.ts'
import type { Transaction } from '#db/scope.ts'
import { findSpaceDefaults } from '#features/tenancy/organizations/queries.ts'
import { createSpace } from '#features/inventory/spaces/queries.ts'
import { createUnit } from '#features/inventory/units/save-unit.ts'
import { unitTypes } from '#features/inventory/units/unit.ts'
import {
  findSpaceNamed,
  findUnitByReference,
  findUnitNamed,
  lockImportedUnits,
  saveReference,
} from './find-units.ts'
import { readCurrency, readPrice, type RowReader } from './read-row.ts'
import { joinKeys } from './file-rows.ts'
import { importEach, type RowImporter } from './import-rows.ts'

/** Makes units with their spaces. A unit with the same reference or id, or the same name in the same space, is there already. */
export const importUnits: RowImporter = async (transaction, state, found) => {
  await lockImportedUnits(transaction)
  return await importEach(transaction, state, found, (inner, row) => importUnit(inner, row, state.account_id))
}

async function importUnit(transaction: Transaction, row: RowReader, accountId: string) {
  const reference = row.text('reference', 255)
  const name = row.required('name', row.text('name', 255))
  const givenSpace = row.text('space', 255)
  if (name === undefined) {
    // A row says all that is wrong with it.
    await readUnit(transaction, row, undefined)
    return undefined
  }
  const spaceName = givenSpace ?? name
  const referenceKeys = reference ? [`reference ${reference}`] : []
  const nameKey = `name ${spaceName} ${name}`.toLowerCase()
  const known = reference && (await findUnitByReference(transaction, reference))
  const existing = known || (await findUnitNamed(transaction, { unit: name, space: spaceName }))
  if (existing) {
    if (reference) await saveReference(transaction, reference, existing.id)
    const key = joinKeys([...referenceKeys, ...(known ? [] : [nameKey]), `unit ${existing.id}`])
    return { action: 'match', key, record_id: existing.id } as const
  }
  const key = joinKeys([...referenceKeys, nameKey])
  const space = await findSpaceNamed(transaction, { name: spaceName, accountId })
  const fields = await readUnit(transaction, row, space?.currency)
  if (!fields) return undefined
  const { place, unit } = fields
  const spaceId =
    space?.id ?? (await createSpace(transaction, { name: spaceName, account_id: accountId, ...place })).id
  const { id } = await createUnit(transaction, { space_id: spaceId, name, ...unit })
  if (reference) await saveReference(transaction, reference, id)
  return { action: 'create', key, record_id: id } as const
}

/** The fields of a new unit and its space; undefined when one cannot be read. */
async function readUnit(transaction: Transaction, row: RowReader, spaceCurrency: string | undefined) {
  const defaults = await findSpaceDefaults(transaction)
  const currency = readCurrency(row) ?? spaceCurrency ?? defaults.currency
  const base = row.required('base_price', readPrice(row, 'base_price', currency))
  const place = {
    address: row.text('address', 500),
    city: row.text('city', 255),
    state: row.text('state', 255),
    zip: row.text('zip', 32),
    country: row.code('country', countryOf, 'This must be a country or its ISO 3166-1 code, such as PT.'),
    timezone: row.code(
      'timezone',
      (text) => (isTimeZone(text) ? text : undefined),
      'This must be an IANA time zone, such as Europe/Lisbon.',
    ),
    description: row.text('description', 10_000),
    currency,
  }
  const unit = {
    type: row.choice('type', types),
    bedrooms: row.integer('bedrooms', 0, 1_000),
    bathrooms: row.half('bathrooms', 1_000),
    max_guests: row.integer('max_guests', 1, 10_000),
    quantity: row.integer('quantity', 1, 10_000),
    min_price_cents: row.money('min_price', currency),
    base_price_cents: base ?? 0,
    currency,
  }
  return row.errors.length > 0 ? undefined : { place: withoutMissing(place), unit: withoutMissing(unit) }
}

const countryOf = (text: string): string | undefined =>
  countries.has(text.toUpperCase()) ? text.toUpperCase() : countryCodes.get(text.toLowerCase())

/** By their names in English, German and Portuguese. */
const countryCodes = new Map(
  ['en', 'de', 'pt'].flatMap((language) => {
    const names = new Intl.DisplayNames(language, { type: 'region' })
    return [...countries].map((code) => [names.of(code)!.toLowerCase(), code] as const)
  }),
)

/** Without members that the file does not have. */
const withoutMissing = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>
  }

type UnitType = (typeof unitTypes)[number]
const own = Object.fromEntries(unitTypes.map((type) => [type, type])) as Record<UnitType, UnitType>
/** The types in German and Portuguese too. */
const types: Readonly<Record<string, UnitType>> = {
  ...own,
  ...{ flat: 'apartment', wohnung: 'apartment', appartement: 'apartment', ferienwohnung: 'apartment' },
  ...{ apartamento: 'apartment', estudio: 'studio', haus: 'house', ferienhaus: 'house', casa: 'house' },
  ...{ moradia: 'house', vivenda: 'villa', zimmer: 'room', quarto: 'room', suíte: 'suite', bett: 'bed' },
  ...{
    schlafsaal: 'dorm',
    dormitório: 'dorm',
    cama: 'bed',
    andere: 'other',
    sonstiges: 'other',
    outro: 'other',
  },
}

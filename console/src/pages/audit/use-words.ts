import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { listAccounts } from '@vacancy/client'

import { isUuid } from '../../components/uuid.ts'
import { useFormat } from '../../i18n/format.ts'
import type { Format } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { usePaymentFailure } from '../../i18n/payment-failure.ts'
import { unitTypeMessages } from '../../i18n/record-messages.ts'
import { useApi } from '../../session/api.tsx'
import { usePlaces } from '../bookings/use-places.ts'
import { useAllUnits } from '../portfolio/use-portfolio-records.ts'
import { codeWords } from './code-words.ts'
import { eventWords } from './event-words.ts'
import { fieldWords } from './field-words.ts'

interface Words {
  /** What a member is called: `Base price`, not `base_price_cents`. */
  field: (name: string) => string
  /** A value for people: money, names in place of ids, words in place of codes. */
  value: (field: string, value: unknown, currency: string | null) => string
}

/** Writes the members of any record in words. */
export const useWords = (): Words => {
  const text = useMessages(fieldWords)
  const event = useMessages(eventWords)
  const coded = useMessages(codeWords)
  const type = useMessages(unitTypeMessages)
  const failureOf = usePaymentFailure()
  const format = useFormat()
  const { spaceOf, targets } = usePlaces()
  const { data: units } = useAllUnits()
  const accounts = useAccounts()
  return useMemo(() => {
    const unitById = new Map(units?.map((unit) => [unit.id, unit]))
    const field = (name: string) => (has(fieldWords.en, name) ? text(name) : plain(name))
    const nameOf = (id: string) =>
      unitById.get(id)?.name ??
      spaceOf(id)?.name ??
      [...targets, ...accounts].find((record) => record.id === id)?.name
    const word = (value: string) => {
      if (has(eventWords.en, value)) return event(value)
      if (has(codeWords.en, value)) return coded(value)
      return codeForm.test(value) ? plain(value) : value
    }
    const code = (name: string, value: string) => {
      if (name === 'failure_code') return failureOf(value)
      if (name === 'type' && has(unitTypeMessages.en, value)) return type(value)
      if (name === 'event_types')
        return value === '*' ? event('every_event') : value.split('.').map(word).join(': ')
      if (!codes.has(name)) return value
      const own = `${name}_${value}`
      return has(codeWords.en, own) ? coded(own) : word(value)
    }
    const write = (name: string, value: unknown, currency: string | null): string => {
      if (value === null || value === undefined || value === '') return text('notSet')
      if (typeof value === 'number') return writeNumber(name, value, currency, format)
      if (typeof value === 'boolean') return text(value ? 'yes' : 'no')
      if (typeof value === 'string') {
        if (isUuid(value)) return nameOf(value) ?? '…'
        if (moment.test(value)) return format.dayTime(value)
        if (name === 'weekdays' && value in dayOf) return format.weekday(dayOf[value] as string)
        return code(name, value)
      }
      if (Array.isArray(value))
        return value.length === 0
          ? text('none')
          : value
              .map((one: unknown) => write(name, one, currency))
              .join(typeof value[0] === 'object' ? '; ' : ', ')
      return writeObject(value as Record<string, unknown>, currency)
    }
    const writeObject = (record: Record<string, unknown>, given: string | null): string => {
      const { date_from, date_to, ...rest } = record
      const unit = typeof rest['unit_id'] === 'string' ? unitById.get(rest['unit_id']) : undefined
      const currency = given ?? unit?.currency ?? null
      const range =
        typeof date_from === 'string' && typeof date_to === 'string'
          ? [
              date_from === date_to
                ? format.date(date_from)
                : `${format.date(date_from)} – ${format.date(date_to)}`,
            ]
          : []
      const others = Object.entries(rest)
        .filter(([name, inner]) => inner !== null && inner !== '' && !isSaidByName(name, rest))
        .map(([name, inner]) => `${field(name)}: ${write(name, inner, currency)}`)
      return [...range, ...others].join(' · ')
    }
    return { field, value: write }
  }, [text, event, coded, type, failureOf, format, units, spaceOf, targets, accounts])
}

const noAccounts: { id: string; name: string }[] = []

const useAccounts = () => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [listAccounts.path, 'names'],
    queryFn: async ({ signal }) => {
      const found = []
      for await (const { id, name } of api.listAll(listAccounts, { signal })) found.push({ id, name })
      return found
    },
    staleTime: Infinity,
  })
  return data ?? noAccounts
}

const has = <Words extends object>(words: Words, name: string): name is keyof Words & string =>
  Object.hasOwn(words, name)

/** A season that is gone has its name in the entry; its id would say nothing. */
const isSaidByName = (member: string, record: Record<string, unknown>) =>
  typeof record['name'] === 'string' && (member === 'id' || member === 'season_id')

/** A date with each weekday. */
const dayOf: Record<string, string> = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day, index) => [day, `2024-01-0${index + 1}`]),
)
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/
const codeForm = /^[a-z]+(_[a-z]+)*$/
/** Members whose text is a code of ours; a reason may also be what somebody wrote. */
const codes = new Set([
  ...[
    'status',
    'type',
    'kind',
    'basis',
    'applies_to',
    'meal_plan',
    'direction',
    'source',
    'role',
    'provider',
  ],
  ...['disabled_reason', 'channel_type', 'amenities', 'event_types', 'tier', 'weekdays', 'decision'],
  ...['capture_method', 'requested', 'cancellationReason', 'booking_conflict', 'reason'],
])

/** Without a currency an amount is a number with its decimals. */
const writeNumber = (name: string, value: number, currency: string | null, format: Format) => {
  if (!/_?cents$|^amount/i.test(name)) return format.number(value)
  return currency ? format.money(value, currency) : format.number(value / 100)
}

/** `checked_in` becomes `checked in`. */
const plain = (name: string) =>
  name
    .replace(/_cents$/, '')
    .replaceAll(/[_.]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, one: string, next: string) => `${one} ${next.toLowerCase()}`)

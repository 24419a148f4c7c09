import { Type, type Static } from 'typebox'
import { semanticError } from '#errors.ts'
import { Day, Id, isDate, oneOf } from '#schema/fields.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { termNames } from '#integrations/pms/pms.ts'
import { DryRun } from './calendar-change.ts'

const maxUnits = 500
const maxNights = 1_100

/** How many years ahead values are copied to. */
export const Years = Type.Integer({
  minimum: -5,
  maximum: 5,
  format: 'int32',
  description:
    'So many years later, or earlier, on the same weekdays: a whole number of weeks, at most 3 days from the same date.',
})

export const CalendarCopyInput = Type.Object(
  {
    unit_ids: Type.Array(Id, {
      minItems: 1,
      maxItems: maxUnits,
      uniqueItems: true,
      description: 'The units whose calendar is changed.',
    }),
    source_unit_id: Type.Optional({
      ...Id,
      description: 'The unit whose values are copied. Each unit copies its own values when left out.',
    }),
    date_from: { ...Day, description: 'The first night that is copied.' },
    date_to: { ...Day, description: 'The last night that is copied.' },
    years: Type.Optional(Years),
    members: Type.Optional(
      Type.Array(oneOf(...termNames), {
        minItems: 1,
        maxItems: termNames.length,
        uniqueItems: true,
        description: 'What is copied; all by default.',
      }),
    ),
    dry_run: Type.Optional(DryRun),
  },
  {
    title: 'CalendarCopyInput',
    additionalProperties: false,
    example: {
      unit_ids: ['f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f'],
      date_from: '2030-07-01',
      date_to: '2030-08-31',
      years: 1,
    },
  },
)
export type CalendarCopyInput = Static<typeof CalendarCopyInput>

/** The first and last night of a copy, by their numbers. @throws Invalid */
export function rangeOfCopy({ date_from, date_to, years = 0, source_unit_id }: CalendarCopyInput) {
  const [from, to] = [nightOf(date_from), nightOf(date_to)]
  if (to < from) throw semanticError('date_to', 'date_to must not be before date_from.')
  if (to - from >= maxNights)
    throw semanticError('date_to', `A copy may span ${maxNights.toLocaleString('en')} nights at most.`)
  if (!source_unit_id && years === 0)
    throw semanticError('years', 'Name a source_unit_id, or the number of years to copy to.', 'required')
  return { from, to, shift: weekdayShift({ date_from, date_to }, years) }
}

interface Nights {
  readonly date_from: string
  readonly date_to: string
}

/**
 * The days to the date that is as many years later and nearest to the same weekday: a multiple of seven. Nights that no
 * other operation accepts could be neither read nor changed. @throws Invalid
 */
export function weekdayShift({ date_from, date_to }: Nights, years: number): number {
  const later = new Date(`${date_from}T00:00:00Z`)
  later.setUTCFullYear(later.getUTCFullYear() + years)
  const days = Math.round((nightOf(later.toISOString().slice(0, 10)) - nightOf(date_from)) / 7) * 7
  if (!isDate(shiftDate(date_from, days)) || !isDate(shiftDate(date_to, days)))
    throw semanticError('years', 'The nights must be in the years 1970 to 2200.')
  return days
}

export const shiftDate = (date: string, days: number): string => dateOf(nightOf(date) + days)

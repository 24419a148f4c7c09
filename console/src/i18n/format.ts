import { useLanguage } from './language.tsx'
import { writeMoney, writeNightPrice, writeShortMoney } from './money.ts'

export type Format = ReturnType<typeof buildFormat>

/** Numbers, money, dates and spans of time in the format of the person. */
export const useFormat = (): Format => {
  const { locale } = useLanguage()
  const format = formats.get(locale) ?? buildFormat(locale)
  formats.set(locale, format)
  return format
}

/** Building one takes a millisecond, and each of the hundreds of cells of the calendar asks for it. */
const formats = new Map<string, Format>()

export const buildFormat = (locale: string) => {
  const numbers = new Intl.NumberFormat(locale)
  // The calendar writes some hundred amounts at each step of a fling, most of them equal.
  const nightPrices = new Map<string, string>()
  const collator = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' })
  // A night is a date without a zone: it is read and written as UTC so that no browser moves it by a day.
  const night = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    return (date: string) =>
      formatter
        .formatToParts(Date.parse(date))
        .map(({ type, value }) => (type === 'weekday' ? shortenWeekday(value) : value))
        .join('')
  }
  return {
    locale,
    number: (value: number) => numbers.format(value),
    percent: (ratio: number) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(ratio),
    /** `pt-PT` as `Portuguese (Portugal)`. */
    language: (tag: string) => new Intl.DisplayNames(locale, { type: 'language' }).of(tag) ?? tag,
    /** As people measure files: `1.2 MB`. */
    bytes: (bytes: number) => writeBytes(bytes, locale),
    money: (cents: number, currency: string) => writeMoney(cents, currency, locale),
    /** The decimals only where there are some, and no currency. */
    shortMoney: (cents: number, currency: string) => writeShortMoney(cents, currency, locale),
    /** As short as a cell of the calendar. */
    nightPrice: (cents: number, currency: string) => {
      const key = `${currency} ${cents}`
      const known = nightPrices.get(key) ?? writeNightPrice(cents, currency, locale)
      nightPrices.set(key, known)
      return known
    },
    /** `2026-07-01` as `1 Jul 2026`. */
    date: night({ day: 'numeric', month: 'short', year: 'numeric' }),
    /** `2026-07-01` as `Wed 1 Jul`. */
    shortDate: night({ weekday: 'short', day: 'numeric', month: 'short' }),
    /** `2026-07-01` as `Wed 1 Jul 2026`. */
    longDate: night({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    /** `2026-07-01` as `1 Jul`. */
    dayMonth: night({ day: 'numeric', month: 'short' }),
    month: night({ month: 'long', year: 'numeric' }),
    /** `2026-07-01` as `Jul 26`. */
    shortMonth: night({ month: 'short', year: '2-digit' }),
    weekday: night({ weekday: 'short' }),
    narrowWeekday: night({ weekday: 'narrow' }),
    /** A moment with its zone: where the property is, when the zone is given. */
    dateTime: (at: string, timeZone?: string) =>
      new Intl.DateTimeFormat(locale, {
        dateStyle: 'medium',
        timeStyle: 'medium',
        ...(timeZone && { timeZone }),
      }).format(Date.parse(at)),
    /** A moment to the minute, where the property is. */
    dayTime: (at: string, timeZone?: string) =>
      new Intl.DateTimeFormat(locale, {
        dateStyle: 'medium',
        timeStyle: 'short',
        ...(timeZone && { timeZone }),
      }).format(Date.parse(at)),
    /** The time of the day, where the property is. */
    time: (at: string, timeZone?: string) =>
      new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...(timeZone && { timeZone }) }).format(
        Date.parse(at),
      ),
    timeAgo: (at: string, nowMs: number) => timeAgo(locale, at, nowMs),
    compare: collator.compare,
  }
}

/** Portuguese has no short names in browsers, and writes three letters in calendars: `seg`, `ter`, `qua`. */
const shortenWeekday = (name: string) => (name.length > 4 ? name.slice(0, 3) : name)

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

const writeBytes = (bytes: number, locale: string): string => {
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1)
  const style = { style: 'unit', unit: byteUnits[power]!, unitDisplay: 'short' } as const
  return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 1 }).format(bytes / 1_000 ** power)
}

/** Short enough for a row: `now`, `15 sec. ago`, `in 3 min.`, `5 days ago`. */
const timeAgo = (locale: string, at: string, nowMs: number): string => {
  const formatter = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000)
  const size = Math.abs(seconds)
  const inUnits = (unit: Intl.RelativeTimeFormatUnit, length: number) =>
    formatter.format(Math.trunc(seconds / length), unit)
  if (size < 5) return formatter.format(0, 'second')
  if (size < 60) return formatter.format(seconds - (seconds % 5), 'second')
  if (size < 3600) return inUnits('minute', 60)
  if (size < 86_400) return inUnits('hour', 3600)
  return inUnits('day', 86_400)
}

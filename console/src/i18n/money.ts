import type { moneyMessages } from './money-messages.ts'
import type { MessageValues } from './messages.ts'

/** The largest price the service keeps. */
const maxCents = 2_147_483_647

/** Why an amount cannot be read, as a key of the money messages with its values. */
export interface PriceFault {
  key: keyof (typeof moneyMessages)['en']
  values?: MessageValues
}

export type ReadPrice = { priceCents: number } | { fault: PriceFault }

/** An amount in minor units, written the way the reader writes money. */
export const writeMoney = (cents: number, currency: string, locale?: string): string => {
  const decimals = decimalsOf(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits }).format(
    cents / 10 ** decimals,
  )
}

/** An amount without its currency, and without decimals when they are zero. */
export const writeShortMoney = (cents: number, currency: string, locale?: string): string => {
  const decimals = decimalsOf(currency)
  const minimumFractionDigits = cents % 10 ** decimals === 0 ? 0 : decimals
  return new Intl.NumberFormat(locale, { minimumFractionDigits, maximumFractionDigits: decimals }).format(
    cents / 10 ** decimals,
  )
}

/**
 * An amount for the cell of a night, of which a bar leaves three quarters: four figures and a comma have room there,
 * decimals behind them do not, and a million is written as `1.25M`.
 */
export const writeNightPrice = (cents: number, currency: string, locale?: string): string => {
  const amount = cents / 10 ** decimalsOf(currency)
  if (amount < 1_000) return writeShortMoney(cents, currency, locale)
  const shorter = amount < 1_000_000 ? { maximumFractionDigits: 0 } : compact
  return new Intl.NumberFormat(locale, shorter).format(amount)
}

const compact = { notation: 'compact', maximumSignificantDigits: 3 } as const

/** An amount as one would type it: no symbol, no grouping. */
export const writePlain = (cents: number, currency: string, locale?: string): string => {
  const decimals = decimalsOf(currency)
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false }
  return new Intl.NumberFormat(locale, digits).format(cents / 10 ** decimals)
}

/** Reads what someone typed into minor units, never by way of a rounded fraction. */
export const readPrice = (typed: string, currency: string, locale?: string): ReadPrice => {
  const { decimal, group } = separatorsOf(locale)
  const decimals = decimalsOf(currency)
  const bare = typed.replace(/[\s\u00a0\u202f'’]/g, '')
  if (bare === '') return { fault: { key: 'empty' } }
  if (bare.startsWith('-')) return { fault: { key: 'negative' } }

  const parts = splitAmount(bare, decimal, group, decimals)
  if (!parts)
    return { fault: { key: 'unreadable', values: { example: writePlain(12900, currency, locale) } } }
  const [whole, fraction] = parts
  if (fraction.length > decimals) {
    return { fault: { key: 'decimals', values: { currency: currency.toUpperCase(), decimals } } }
  }
  const priceCents = Number(whole + fraction.padEnd(decimals, '0'))
  if (priceCents > maxCents)
    return { fault: { key: 'tooHigh', values: { max: writeMoney(maxCents, currency, locale) } } }
  return { priceCents }
}

/** A dot or a comma both work as the decimal sign, unless it can only be meant as grouping. */
const splitAmount = (
  bare: string,
  decimal: string,
  group: string,
  decimals: number,
): [string, string] | null => {
  const grouped = new RegExp(`^[1-9]\\d{0,2}(?:\\${group}\\d{3})+(?:\\${decimal}(\\d*))?$`).exec(bare)
  if (grouped) {
    const [whole = ''] = bare.split(decimal)
    return [whole.replaceAll(group, ''), grouped[1] ?? '']
  }
  const plain = /^(\d+)(?:[.,](\d*))?$/.exec(bare)
  if (!plain || (bare.includes(group) && decimals === 0 && group !== decimal)) return null
  return [plain[1] ?? '', plain[2] ?? '']
}

/** Those of the minor unit by ISO 4217, as the service counts. What `Intl` takes for usual is not the same in all browsers. */
const decimalsOf = (currency: string): number => {
  const code = currency.toLowerCase()
  return noDecimals.includes(code) ? 0 : threeDecimals.includes(code) ? 3 : 2
}

const noDecimals = 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx vnd vuv xaf xof xpf'.split(' ')
const threeDecimals = 'bhd iqd jod kwd lyd omr tnd'.split(' ')

const separatorsOf = (locale?: string) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(1234567.8)
  const decimal = parts.find(({ type }) => type === 'decimal')?.value ?? '.'
  const group = parts.find(({ type }) => type === 'group')?.value ?? ','
  return { decimal, group: group === decimal || /[\s\u00a0\u202f'’]/.test(group) ? otherOf(decimal) : group }
}

const otherOf = (decimal: string) => (decimal === ',' ? '.' : ',')

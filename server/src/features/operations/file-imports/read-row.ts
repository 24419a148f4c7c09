import { isCurrency, isDate } from '#schema/fields.ts'
import { minorUnitDigits } from '#schema/money.ts'
import type { DateOrder, FileFormat, MappedColumn, RowError } from './file-import.ts'
import type { FieldName } from './import-fields.ts'
import { otherCurrency, otherWord } from './other-currency.ts'

/** How the cells of a file are read. */
export interface ReadOptions {
  readonly columns: readonly string[]
  readonly mapping: readonly MappedColumn[]
  readonly date_order: DateOrder
  readonly format: FileFormat
}

/** Reads the fields of one row, and collects the errors. A missing or empty cell is undefined. */
export type RowReader = ReturnType<typeof openRow>

export function openRow(
  cells: readonly (string | null)[],
  { columns, mapping, date_order, format }: ReadOptions,
) {
  const surplus = cells[columns.length] ?? null
  const errors: RowError[] = surplus === null ? [] : [{ ...tooManyCells, value: surplus.slice(0, 255) }]
  const columnOf = (field: string) => mapping.find((mapped) => mapped.field === field)?.column ?? null
  const cell = (field: FieldName) => {
    const column = columnOf(field)
    const text = column === null ? null : cells[columns.indexOf(column)]?.trim()
    return text ? text : undefined
  }
  const fail = (field: string, code: string, message: string): undefined => {
    const column = columnOf(field)
    const value = column === null ? null : (cells[columns.indexOf(column)] ?? null)
    errors.push({ column, code, message, value: value && value.slice(0, 255) })
    return undefined
  }
  const parsed = <T>(
    field: FieldName,
    parse: (text: string) => T | undefined,
    code: string,
    message: string,
  ) => {
    const text = cell(field)
    return text === undefined ? undefined : (parse(text) ?? fail(field, code, message))
  }
  const decimal = (text: string, decimals = 2) =>
    format === 'json' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : parseDecimal(text, decimals)

  return {
    errors,
    fail,
    text(field: FieldName, maxLength: number): string | undefined {
      const text = cell(field)
      if (text === undefined || text.length <= maxLength) return text
      return fail(field, 'too_long', `The text has more than ${maxLength} characters.`)
    },
    /** For fields that a row must have. */
    required<T>(field: FieldName, value: T | undefined): T | undefined {
      if (value === undefined && cell(field) === undefined) fail(field, 'required', `${field} is missing.`)
      return value
    },
    integer(field: FieldName, min: number, max: number): number | undefined {
      return parsed(
        field,
        (text) => {
          const value = decimal(text)
          return value !== undefined && Number.isInteger(value) && value >= min && value <= max
            ? value
            : undefined
        },
        'not_integer',
        `This must be a whole number from ${min} to ${max}.`,
      )
    },
    half(field: FieldName, max: number): number | undefined {
      return parsed(
        field,
        (text) => {
          const value = decimal(text)
          return value !== undefined && value >= 0 && value <= max ? Math.round(value * 2) / 2 : undefined
        },
        'not_number',
        `This must be a number from 0 to ${max}.`,
      )
    },
    /** Minor units; a column whose name ends with `cents` has them already. */
    money(field: FieldName, currency: string, max = 2_147_483_647): number | undefined {
      const isMinor = /cents$/i.test(columnOf(field) ?? '')
      const decimals = isMinor ? 0 : minorUnitDigits(currency)
      const other =
        otherCurrency(cell(field), currency) ??
        otherWord(cell(field), currency) ??
        otherCurrency(columnName(columnOf(field)), currency)
      if (other !== undefined && cell(field) !== undefined)
        return fail(
          field,
          'other_currency',
          `This says ${other}, and the currency is ${currency.toUpperCase()}. Set the currency in a column, or correct the amount.`,
        )
      return parsed(
        field,
        (text) => {
          const value = decimal(text, decimals)
          if (value === undefined || (decimals === 0 && !Number.isInteger(value))) return undefined
          // 145.00 in a column of cents is most likely an amount in major units; 14500.0 is how programs write a whole number.
          if (isMinor && /[.,]\d\d$/.test(numberIn(text).number)) return undefined
          const cents = Math.round(value * 10 ** decimals)
          return cents >= 0 && cents <= max ? cents : undefined
        },
        'not_amount',
        isMinor
          ? 'By its name the column has minor units: this must be a whole number such as 123450.'
          : decimals === 0
            ? `${currency.toUpperCase()} has no smaller unit: this must be a whole number such as 12000.`
            : 'This must be an amount such as 1234.50 or 1.234,50.',
      )
    },
    date(field: FieldName): string | undefined {
      return parsed(
        field,
        (text) => parseDate(text, date_order),
        'not_date',
        `This must be a date such as 2027-07-31 or ${date_order === 'dmy' ? '31.07.2027' : '07/31/2027'}.`,
      )
    },
    flag(field: FieldName): boolean | undefined {
      return parsed(
        field,
        (text) => (yes.has(text.toLowerCase()) ? true : no.has(text.toLowerCase()) ? false : undefined),
        'not_flag',
        'This must be yes or no.',
      )
    },
    choice<T extends string>(field: FieldName, choices: Readonly<Record<string, T>>): T | undefined {
      return parsed(
        field,
        (text) => choices[text.toLowerCase().replace(/[\s_-]+/g, '_')],
        'unknown_value',
        `This must be one of: ${[...new Set(Object.values(choices))].join(', ')}.`,
      )
    },
    /** A text of a known form, such as the code of a currency. */
    code: (field: FieldName, parse: (text: string) => string | undefined, message: string) =>
      parsed(field, parse, 'wrong_format', message),
  }
}

export const readCurrency = (row: RowReader): string | undefined =>
  row.code(
    'currency',
    (text) => (isCurrency(text.toLowerCase()) ? text.toLowerCase() : undefined),
    'This must be an ISO 4217 code, such as eur.',
  )

/** A file has 0 where no price is known more often than for what is free. */
export function readPrice(row: RowReader, field: 'base_price' | 'price', currency: string) {
  const cents = row.money(field, currency)
  return cents === 0 ? row.fail(field, 'no_price', noPrice) : cents
}

const noPrice =
  'A price of 0 would sell the nights for nothing. Enter a price here; what is free is set by hand after the import.'

/** `price_usd` names a currency like `Price USD`. */
const columnName = (column: string | null) =>
  column?.replace(/[_ ]([a-z]{3})(?:$|[_ ]cents$)/i, (_, code: string) => ` ${code.toUpperCase()}`)

/** A comma inside an amount, for example, moves all values behind it to other columns. */
const tooManyCells = {
  column: null,
  code: 'too_many_cells',
  message: 'The row has more values than the header. Put values that contain the separator in quotes.',
}

const yes = new Set(['yes', 'y', 'true', '1', 'x', 'ja', 'j', 'wahr', 'sim', 's', 'verdadeiro'])
const no = new Set(['no', 'n', 'false', '0', '-', 'nein', 'falsch', 'nao', 'não', 'falso'])

/** From the first digit, point, comma or minus to the last digit, point or comma, with what is around it. */
function numberIn(text: string): { before: string; number: string; after: string } {
  const found = /[\d.,-](?:.*[\d.,])?/s.exec(text)
  const [number = ''] = found ?? []
  const at = found?.index ?? 0
  return { before: text.slice(0, at), number, after: text.slice(at + number.length) }
}

const opensNegative = /[(\u2010-\u2015\u2212]/
const hasOtherMeaning = /^\d\s*(?:[-%‰\u2010-\u2015\u2212]|k(?!\p{Letter}))/iu

/**
 * A number with a point or comma, thousands and a currency around it. Undefined when it is none, as 15% and 1.5k, or
 * negative in another way than -145: (145), 145- and a typographic minus. 145,- is a number.
 */
export function parseDecimal(text: string, decimals = 2): number | undefined {
  const { before, number, after } = numberIn(text)
  if (opensNegative.test(before.slice(before.lastIndexOf(')') + 1))) return undefined
  if (hasOtherMeaning.test(number.slice(-1) + after)) return undefined
  const plain = number.replace(/[\s\u00a0\u202f'’]/g, '')
  if (!/^-?\d[\d.,]*$/.test(plain)) return undefined
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','))
  if (last < 0) return Number(plain)
  const separator = plain[last]!
  const [whole, fraction] = [plain.slice(0, last), plain.slice(last + 1)]
  const isThousands =
    (whole.includes(separator) || (fraction.length === 3 && decimals !== 3 && !/[.,]/.test(whole))) &&
    /^-?[1-9]\d{0,2}([.,]\d{3})*$/.test(plain)
  if (isThousands) return Number(plain.replace(/[.,]/g, ''))
  if (whole.includes(separator)) return undefined
  if (/[.,]/.test(whole) && !/^-?[1-9]\d{0,2}([.,]\d{3})*$/.test(whole)) return undefined
  return Number(`${whole.replace(/[.,]/g, '')}.${fraction}`)
}

/** The month comes first when days after the 12th are in the second place only. */
export function suggestDateOrder(cells: Iterable<string | null>): DateOrder | undefined {
  let order: DateOrder | undefined
  for (const cell of cells) {
    const [, first, second] = localDate.exec(cell?.trim() ?? '') ?? []
    if (Number(first) > 12) return 'dmy'
    if (Number(second) > 12) order = 'mdy'
  }
  return order
}

const localDate = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?: .*)?$/

export function parseDate(text: string, order: DateOrder): string | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$/.exec(text)
  const local = localDate.exec(text)
  const [year, month, day] = iso
    ? [iso[1]!, iso[2]!, iso[3]!]
    : local
      ? [local[3]!, ...(order === 'dmy' ? [local[2]!, local[1]!] : [local[1]!, local[2]!])]
      : []
  if (!year || !month || !day) return undefined
  const date = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDate(date) ? date : undefined
}

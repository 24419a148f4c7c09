import { isCurrency } from '#schema/fields.ts'

/** A symbol such as $, or a code such as USD, that is not of this currency. */
export function otherCurrency(text: string | null | undefined, currency: string): string | undefined {
  const codes = text?.match(/\b[A-Z]{3}\b/g)?.filter((code) => isCurrency(code.toLowerCase())) ?? []
  if (codes.length > 0) return codes.includes(currency.toUpperCase()) ? undefined : codes[0]
  const found = text?.normalize('NFKC').match(/\b[A-Z]{1,3}\$|\p{Sc}/u)?.[0]
  if (found === undefined || symbolOf(currency, 'narrowSymbol').includes(found)) return undefined
  // US$, NT$: a dollar of another country.
  const country = found.slice(0, -1)
  const isOwn = country !== '' && currency.toUpperCase().startsWith(country)
  return isOwn || symbolOf(currency, 'symbol') === found ? undefined : found
}

/** A symbol of letters, such as zł, that is not of this currency. Not for names of columns, where RM is a room. */
export function otherWord(text: string | undefined, currency: string): string | undefined {
  wordSymbols ??= new Set(
    Intl.supportedValuesOf('currency').flatMap((code) => {
      const symbol = symbolOf(code, 'narrowSymbol')
      return symbol === code ? [] : [symbol]
    }),
  )
  const own = symbolOf(currency, 'narrowSymbol')
  return text?.match(/\p{L}{2,}/gu)?.find((word) => word !== own && wordSymbols!.has(word))
}
let wordSymbols: ReadonlySet<string> | undefined

function symbolOf(currency: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string {
  const parts = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay }).formatToParts(0)
  return parts.find(({ type }) => type === 'currency')?.value ?? currency
}

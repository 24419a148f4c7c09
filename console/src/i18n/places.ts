/** Codes that have a name but are no country a property can be in. */
const noCountries = new Set([
  'EU',
  'EZ',
  'UN',
  'ZZ',
  'XA',
  'XB',
  'QO',
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'IC',
  'TA',
])

interface Option {
  value: string
  label: string
}

const byLabel = (locale: string) => {
  const { compare } = new Intl.Collator(locale)
  return (one: Option, other: Option) => compare(one.label, other.label)
}

export const countryName = (code: string, locale: string): string =>
  new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code

/** All countries under the names of the reader's language. */
export const countryOptions = (locale: string): Option[] => {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !noCountries.has(code) && isCurrent(code))
    .flatMap((value) => {
      const label = names.of(value)
      return label ? [{ value, label }] : []
    })
    .sort(byLabel(locale))
}

/** Browsers name former codes as the present country: DD and DE are both Germany. */
const isCurrent = (code: string) => new Intl.Locale(`und-${code}`).region === code

/** All currencies, by their names; values are in lower case as the API has them. */
export const currencyOptions = (locale: string): Option[] => {
  const names = new Intl.DisplayNames(locale, { type: 'currency' })
  return Intl.supportedValuesOf('currency')
    .map((code) => ({ value: code.toLowerCase(), label: `${names.of(code) ?? code} (${code})` }))
    .sort(byLabel(locale))
}

/** All time zones; browsers leave out UTC, and second names such as the current one may have. */
export const timeZoneOptions = (current: string): Option[] =>
  [...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')])]
    .sort()
    .map((value) => ({ value, label: value.replaceAll('_', ' ') }))

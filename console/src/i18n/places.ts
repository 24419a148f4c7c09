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

/** Browsers still list them, but nobody pays with them: replaced by another one, or money of banks and states only. */
const noCurrencies = new Set(['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'XDR', 'XSU', 'ZWL'])

/** All currencies and the current one, by their names; values are in lower case as the API has them. */
export const currencyOptions = (locale: string, current: string): Option[] => {
  const names = new Intl.DisplayNames(locale, { type: 'currency' })
  return Intl.supportedValuesOf('currency')
    .filter((code) => !noCurrencies.has(code) || code === current.toUpperCase())
    .map((code) => ({ value: code.toLowerCase(), label: `${names.of(code) ?? code} (${code})` }))
    .sort(byLabel(locale))
}

/** Names that browsers list although the time zone database has replaced them. */
const presentZones: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** All time zones under their present names; browsers leave out UTC, and second names such as the current one may have. */
export const timeZoneOptions = (current: string): Option[] =>
  [
    ...new Set([
      'UTC',
      current,
      ...Intl.supportedValuesOf('timeZone').map((name) => presentZones[name] ?? name),
    ]),
  ]
    .sort()
    .map((value) => ({ value, label: value.replaceAll('_', ' ') }))

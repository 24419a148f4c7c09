import { collections } from '../server/test/attacks/two-organizations.ts'
import { filterValuesOf, queryUrl } from '../server/test/operations.ts'

/** Ids of records that exist, by the name of the parameter. */
export type KnownIds = Readonly<Record<string, string>>

const dayFromToday = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const [lastMonth, today, nextWeek, nextMonths] = [-30, 0, 7, 55].map(dayFromToday)

/** Texts that every record, many, few, one and none contain. */
const texts: Record<string, readonly string[]> = {
  '/api/v1/units': ['Augusta', 'Lapa', '17, Lisboa', 'Augusta 17, Lisboa / 99', 'zzzz', 'au'],
  '/api/v1/spaces': ['Casa', 'Silva', 'Casa Smith 7', 'zzzz'],
  '/api/v1/bookings': ['Ana', 'Clara Smith', 'Ana Silva', 'zzzz', 'HS-7777'],
  '/api/v1/calendar': ['Augusta', 'Casa Smith 7', 'zzzz'],
  '/api/v1/search': [
    ...['Augusta', 'Augusta 17', '17, Lisboa / 99', 'Ana', 'Clara Smith', 'Ana Silva', 'HS-7777', 'room-777'],
    ...['guest.example', 'ana.silva7', '35197', 'Casa Silva 7', 'Lisboa', 'zzzz', 'li', '7', 'augusta clara'],
  ],
}

/** Values of the last filters that exist, beside those of the schema. */
const existing: Record<string, readonly string[]> = {
  city: ['Lisboa'],
  country: ['PT', 'ES'],
  place: ['Lisboa', 'Casa Smith'],
  updated_since: [`${lastMonth}T00:00:00Z`, '2020-01-01T00:00:00Z'],
  from: [lastMonth!],
  to: [today!],
  check_in_from: [today!],
  check_in_to: [today!],
  check_out_from: [today!],
  check_out_to: [today!],
  arrival: [today!],
  departure: [today!],
}

/** The first page of every list as it is, with each sort and each value of each filter; search, Today and analytics. */
export function growthPaths(ids: KnownIds): string[] {
  const period = (path: string) =>
    ({
      '/api/v1/calendar': `from=${today}&to=${nextMonths}`,
      '/api/v1/availability': `from=${nextWeek}&to=${dayFromToday(9)}`,
      '/api/v1/admin/analytics': `from=${lastMonth}&to=${today}`,
    })[path]
  const withPeriod = (path: string, query = '') => {
    const given = period(path)
    return given ? `${path}?${[given, query].filter(Boolean).join('&')}` : queryUrl(path, query)
  }
  const lists = collections.flatMap(({ path, queryParameters }) => [
    withPeriod(path),
    ...queryParameters
      .filter(({ name }) => !/^(limit|cursor|wait|after)$/.test(name) && !/[A-Z]/.test(name))
      .filter(({ name, required }) => !(required && /^(from|to)$/.test(name)))
      .flatMap(({ name, schema }) =>
        [
          ...(name === 'q' ? (texts[path] ?? ['zzzz', 'a']) : filterValuesOf(name, schema)),
          ...(ids[name] ? [ids[name]] : []),
          ...(path.endsWith('/audit') && /^(from|to)$/.test(name) ? [] : (existing[name] ?? [])),
        ].map((value) => withPeriod(path, `${name}=${encodeURIComponent(value)}`)),
      ),
  ])
  const searches = texts['/api/v1/search']!.map((text) => `/api/v1/search?q=${encodeURIComponent(text)}`)
  const ofSpace = `space_id=${ids['space_id']}`
  const analytics = withPeriod('/api/v1/admin/analytics')
  return [
    ...lists,
    ...searches,
    ...['/api/v1/today', `/api/v1/today?${ofSpace}`],
    ...[analytics, `${analytics}&${ofSpace}`, `${analytics}&unit_id=${ids['unit_id']}`],
    ...[`/api/v1/search?q=${ids['unit_id']!.slice(0, 8)}`, `/api/v1/units/${ids['unit_id']}`],
  ]
}

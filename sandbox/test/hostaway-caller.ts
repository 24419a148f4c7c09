import { startHostaway } from '../src/hostaway/server.ts'

export const accountId = 10450
export const apiKey = 'key-of-10450'

export const villa = {
  name: 'Villa Aurora',
  address: 'Via Cavour 4, Lucca',
  countryCode: 'IT',
  city: 'Lucca',
  currencyCode: 'EUR',
  timeZoneName: 'Europe/Rome',
  personCapacity: 6,
  bedroomsNumber: 3,
  bathroomsNumber: 1.5,
  price: 211.62,
}

type Headers = Record<string, string>

/** A Hostaway with one account, a valid token, and high limits. */
export async function openHostaway(home?: string) {
  const hostaway = await startHostaway({ home })
  const control = (method: string, path: string, body?: unknown) =>
    send(`${hostaway.url}/_control/${path}`, method, body)
  const setClockAhead = (byMs: number) => control('PUT', 'clock', { ahead_ms: byMs })
  await control('PUT', 'accounts', { account_id: accountId, api_key: apiKey })
  await control('PUT', 'limits', { ip: 100_000, account: 100_000 })
  const { access_token: token } = (await fetchToken(hostaway.url)).body
  await setClockAhead(1000)
  const call = (method: string, path: string, body?: unknown, headers: Headers = {}) =>
    send(`${hostaway.url}/v1${path}`, method, body, { authorization: `Bearer ${token}`, ...headers })
  const nights = async (id: number, first: string, last: string, more = ''): Promise<Night[]> =>
    (await call('GET', `/listings/${id}/calendar?startDate=${first}&endDate=${last}${more}`)).body.result
  return {
    url: hostaway.url,
    token: token as string,
    control,
    setClockAhead,
    call,
    close: hostaway.close,
    async addListing(extra: object = {}): Promise<number> {
      const { body } = await control('POST', 'listings', { account_id: accountId, ...villa, ...extra })
      return body.listing.id
    },
    nights,
    async night(id: number, date: string) {
      return (await nights(id, date, date))[0] as Night
    },
    write: (id: number, intervals: unknown) => call('PUT', `/listings/${id}/calendarIntervals`, intervals),
    reserve: (listingMapId: number, arrivalDate: string, departureDate: string, status = 'new') =>
      control('POST', 'reservations', {
        account_id: accountId,
        listingMapId,
        channelId: 2005,
        arrivalDate,
        departureDate,
        status,
      }),
    [Symbol.asyncDispose]: hostaway.close,
  }
}

export type Night = Record<string, unknown>

export type Hostaway = Awaited<ReturnType<typeof openHostaway>>

/** Requests a token. A given field replaces the default one; undefined leaves it out. */
export async function fetchToken(url: string, given: Record<string, string | undefined> = {}) {
  const form = {
    grant_type: 'client_credentials',
    client_id: String(accountId),
    client_secret: apiKey,
    scope: 'general',
    ...given,
  }
  const sent = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const res = await fetch(`${url}/v1/accessTokens`, { method: 'POST', body: new URLSearchParams(sent) })
  return { status: res.status, body: JSON.parse(await res.text()) }
}

async function send(url: string, method: string, body?: unknown, headers: Headers = {}) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const res = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(text === undefined ? {} : { body: text }),
  })
  const raw = await res.text()
  return { status: res.status, headers: res.headers, body: raw === '' ? undefined : JSON.parse(raw) }
}

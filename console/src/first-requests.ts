import { everyUnit, nightsOfFirstUnits, phoneWidth, startDayOf } from './pages/calendar/first-nights.ts'
import { todayIn } from './pages/calendar/nights.ts'

/**
 * Asks for what an address shows first while its scripts are still loading: this module is a small file of its own,
 * which runs before the others are there. The first request for the same address then gets this response.
 */

/** As long as one attempt of the client. */
const timeoutMs = 15_000

const responses = new Map<string, Promise<Response>>()

/** The response to a request that was sent already; each is given out once. */
export const takeFirstResponse = (address: string, method: string | undefined) => {
  const response = method === 'GET' ? responses.get(address) : undefined
  responses.delete(address)
  return response
}

interface Tokens {
  access_token: string
  expires_at?: number
}

const readTokens = () => {
  const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'))
  return key === undefined ? null : (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Tokens | null)
}

/** Filters that ask for other units, or for more than one request. */
const unitFilters = ['q', 'space', 'channel', 'state', 'freeFrom', 'freeTo']

const calendarAddress = () => {
  const search = new URLSearchParams(location.search)
  if (unitFilters.some((name) => search.has(name))) return []
  const from = search.get('from') ?? undefined
  if (from !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(from)) return []
  const day = startDayOf(from, todayIn(undefined), matchMedia(phoneWidth).matches)
  if (Number.isNaN(day)) return []
  const query = Object.entries(nightsOfFirstUnits(everyUnit, day)).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)]),
  )
  return [`/api/v1/calendar?${new URLSearchParams(query).toString()}`]
}

const sendFirstRequests = () => {
  const tokens = readTokens()
  if (!tokens || (tokens.expires_at ?? Infinity) * 1000 <= Date.now()) return
  const organization = sessionStorage.getItem('vacancy.organization')
  const headers = {
    accept: 'application/json, application/problem+json',
    authorization: `Bearer ${tokens.access_token}`,
    ...(organization && { 'x-organization': organization }),
  }
  const paths = location.pathname === '/calendar' ? calendarAddress() : []
  for (const path of ['/api/v1/auth/session', ...paths]) {
    const response = fetch(path, { headers, signal: AbortSignal.timeout(timeoutMs) })
    // It may fail before, or without, a request for it.
    response.catch(() => {})
    responses.set(new URL(path, location.origin).href, response)
  }
  setTimeout(() => responses.clear(), timeoutMs)
}

sendFirstRequests()

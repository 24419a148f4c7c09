import { AnswerTooLong, type Reply } from '#egress-reply.ts'
import { EgressRefused, type Egress, type EgressOptions } from '#egress.ts'

/** What an address answered: a calendar, or that it is the same as last time (null). */
export interface FetchedCalendar {
  readonly body: Uint8Array<ArrayBuffer>
  readonly etag: string | null
  readonly lastModified: string | null
}

/** The calendar cannot be had; the message is for people and names no address, because addresses are secrets. */
export class UnreachableCalendar extends Error {
  readonly timedOut: boolean
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnreachableCalendar'
    this.timedOut = isTimeout(cause)
  }
}

const timeoutMs = 20_000
const mostRedirects = 3

/** @throws UnreachableCalendar, or what `stopping` says */
export async function fetchCalendar(
  egress: Egress,
  url: string,
  known: { etag: string | null; lastModified: string | null } | null,
  { stopping, maxBytes }: { stopping: AbortSignal; maxBytes: number },
): Promise<FetchedCalendar | null> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
  const headers = {
    accept: 'text/calendar, */*;q=0.1',
    'user-agent': 'Vacancy',
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
  }
  try {
    const options = { method: 'GET', headers, signal, longestBytes: maxBytes }
    const { status, headers: answered, body } = await followed(egress, url, options)
    if (status === 304 && known) return null
    if (status !== 200)
      throw new UnreachableCalendar(refusals[status] ?? `The address answers with ${status}.`)
    const header = (name: string) => headerOf(answered, name)
    return { body, etag: header('etag'), lastModified: header('last-modified') }
  } catch (error) {
    stopping.throwIfAborted()
    throw error instanceof UnreachableCalendar ? error : new UnreachableCalendar(reasonFor(error), error)
  }
}

/** Each step of the way is checked like the first. */
async function followed(egress: Egress, url: string, options: EgressOptions): Promise<Reply> {
  let place = url
  for (let redirects = 0; ; redirects++) {
    const reply = await egress.request(place, options)
    if (![301, 302, 303, 307, 308].includes(reply.status)) return reply
    const location = headerOf(reply.headers, 'location')
    if (!location || !URL.canParse(location, place))
      throw new UnreachableCalendar('The address leads on to nowhere.')
    if (redirects === mostRedirects) throw new UnreachableCalendar('The address leads on too often.')
    place = new URL(location, place).href
  }
}

const refusals: Record<number, string> = {
  401: 'The address refuses access (401).',
  403: 'The address refuses access (403).',
  404: 'There is nothing at the address (404).',
  410: 'There is nothing at the address any more (410).',
  429: 'The address asks for patience (429).',
}

function reasonFor(error: unknown): string {
  if (error instanceof EgressRefused) return error.message
  if (error instanceof AnswerTooLong) return 'The calendar is larger than 5 MiB.'
  if (isTimeout(error)) return `The address did not answer within ${timeoutMs / 1_000} seconds.`
  return 'The address cannot be reached.'
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

function headerOf(headers: Reply['headers'], name: string): string | null {
  const value = headers[name]
  const text = Array.isArray(value) ? value[0] : value
  return text && text.length <= 1_000 ? text : null
}

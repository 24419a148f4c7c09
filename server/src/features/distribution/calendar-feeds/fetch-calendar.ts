import { ResponseTooLarge, type EgressResponse } from '#egress/response.ts'
import { EgressRefused, type Egress, type EgressOptions } from '#egress/egress.ts'
import { RedirectRefused, requestFollowing } from '#egress/follow-redirects.ts'

/** A calendar as it was fetched. */
export interface FetchedCalendar {
  readonly body: Uint8Array<ArrayBuffer>
  readonly etag: string | null
  readonly lastModified: string | null
}

/** The calendar cannot be fetched. The message is shown to users and has no address, because addresses are secret. */
export class UnreachableCalendar extends Error {
  readonly timedOut: boolean
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnreachableCalendar'
    this.timedOut = isTimeout(cause)
  }
}

const timeoutMs = 20_000

/** Fetches a calendar; null when it has not changed. @throws UnreachableCalendar, or the reason of `stopping` */
export async function fetchCalendar(
  egress: Egress,
  url: string,
  validators: { etag: string | null; lastModified: string | null } | null,
  { stopping, maxBytes }: { stopping: AbortSignal; maxBytes: number },
): Promise<FetchedCalendar | null> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
  const headers = {
    accept: 'text/calendar, */*;q=0.1',
    'user-agent': 'Vacancy',
    ...(validators?.etag && { 'if-none-match': validators.etag }),
    ...(validators?.lastModified && { 'if-modified-since': validators.lastModified }),
  }
  try {
    const options: EgressOptions = { method: 'GET', headers, signal, maxBytes }
    const { status, headers: responseHeaders, body } = await requestFollowing(egress, url, options)
    if (status === 304 && validators) return null
    if (status !== 200)
      throw new UnreachableCalendar(statusMessages[status] ?? `The address responded with status ${status}.`)
    const header = (name: string) => headerOf(responseHeaders, name)
    return { body, etag: header('etag'), lastModified: header('last-modified') }
  } catch (error) {
    stopping.throwIfAborted()
    throw error instanceof UnreachableCalendar ? error : new UnreachableCalendar(describeError(error), error)
  }
}

const statusMessages: Record<number, string> = {
  401: 'The address refuses access (401).',
  403: 'The address refuses access (403).',
  404: 'There is no calendar at the address (404).',
  410: 'The calendar was removed from the address (410).',
  429: 'The address is rate limited (429). It is fetched again later.',
}

function describeError(error: unknown): string {
  if (error instanceof EgressRefused || error instanceof RedirectRefused) return error.message
  if (error instanceof ResponseTooLarge) return 'The calendar is larger than 5 MiB.'
  if (isTimeout(error)) return `The address did not respond within ${timeoutMs / 1_000} seconds.`
  return 'The address cannot be reached.'
}

const isTimeout = (error: unknown) => error instanceof Error && error.name === 'TimeoutError'

function headerOf(headers: EgressResponse['headers'], name: string): string | null {
  const value = headers[name]
  const text = Array.isArray(value) ? value[0] : value
  return text && text.length <= 1_000 ? text : null
}

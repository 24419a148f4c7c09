import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The response of a calendar server. */
export interface ServedCalendar {
  status?: number
  headers?: Record<string, string>
  body: string | Buffer
  /** The response is sent after this. */
  sentAfter?: Promise<unknown>
}

/** Starts a calendar server with a response for each path. */
export async function openCalendarServer() {
  const served = new Map<string, ServedCalendar>()
  const requests: { path: string; headers: IncomingHttpHeaders }[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!
    requests.push({ path, headers: request.headers })
    const calendar = served.get(path.split('?')[0]!) ?? { status: 404, body: '' }
    const { status = 200, headers = {}, body, sentAfter } = calendar
    await sentAfter
    const known = headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag']
    response.writeHead(known ? 304 : status, { 'content-type': 'text/calendar', ...headers })
    response.end(known ? undefined : body)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Sets the response of a path and returns the URL. */
    serve(path: string, response: ServedCalendar | string): string {
      served.set(path, typeof response === 'string' ? { body: response } : response)
      return `http://127.0.0.1:${port}${path}`
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A calendar with an event for each stay, given by the dates of arrival and departure. */
export const calendarOf = (...stays: (readonly [from: string, to: string, uid?: string])[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Elsewhere//EN',
    ...stays.flatMap(([from, to, uid = `${from}-${to}-${Math.random()}@elsewhere`]) => [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `DTSTART;VALUE=DATE:${from.replaceAll('-', '')}`,
      `DTEND;VALUE=DATE:${to.replaceAll('-', '')}`,
      'SUMMARY:Reserved (Ada Lovelace)',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n')

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer } from './json-http.ts'
import type { Message, Tray } from './mail/letters.ts'

const path = /^\/2010-04-01\/Accounts\/(AC[\w-]+)\/Messages\.json$/
export const isSms = (url: URL) => path.test(url.pathname)

/**
 * Sends SMS as Twilio's Messages resource does, to nobody but the tray. `+15005550001` is no number (as with
 * Twilio's own test credentials), `+15005550002` asks for patience, and the token `wrong` opens nothing.
 */
export async function serveSms(tray: Tray, url: URL, req: IncomingMessage, res: ServerResponse) {
  const [, account = ''] = path.exec(url.pathname)!
  const [user, token] = credentials(req.headers.authorization)
  if (user !== account || !token || token === 'wrong') return refuse(res, 401, 20003, 'Authenticate')
  if (req.method === 'GET') return answer(res, 200, page(tray, account, url.searchParams))
  if (req.method !== 'POST') return refuse(res, 405, 20004, 'Method not allowed')
  const form = new URLSearchParams(await bodyOf(req))
  const [to, from, body] = [form.get('To'), form.get('From'), form.get('Body')]
  if (!to) return refuse(res, 400, 21604, "A 'To' phone number is required.")
  if (!from) return refuse(res, 400, 21603, "A 'From' phone number is required.")
  if (!body) return refuse(res, 400, 21602, 'Message body is required.')
  if (body.length > 1600) return refuse(res, 400, 21617, 'The message body exceeds the 1600 character limit.')
  if (!/^\+[1-9]\d{6,14}$/.test(to) || to === '+15005550001')
    return refuse(res, 400, 21211, `The 'To' number ${to} is not a valid phone number.`)
  if (to === '+15005550002') return refuse(res, 429, 20429, 'Too Many Requests')
  const message = tray.put({
    channel: 'sms',
    from,
    to: [to],
    subject: null,
    text: body,
    html: null,
    headers: [],
    message_id: `SM${randomBytes(16).toString('hex')}`,
  })
  answer(res, 201, resource(message, account))
}

const page = (tray: Tray, account: string, query: URLSearchParams) => {
  const [to, since] = [query.get('To'), query.get('DateSent>')]
  const found = tray
    .all()
    .filter(({ channel }) => channel === 'sms')
    .filter((message) => !to || message.to.includes(to))
    .filter(({ at }) => !since || at >= new Date(since).toISOString())
  return {
    messages: found.map((message) => resource(message, account)),
    page: 0,
    page_size: found.length,
    next_page_uri: null,
    uri: `/2010-04-01/Accounts/${account}/Messages.json`,
  }
}

const resource = (message: Message, account: string) => ({
  sid: message.message_id,
  account_sid: account,
  api_version: '2010-04-01',
  body: message.text,
  from: message.from,
  to: message.to[0],
  status: 'queued',
  direction: 'outbound-api',
  num_segments: '1',
  num_media: '0',
  error_code: null,
  error_message: null,
  price: null,
  price_unit: 'USD',
  messaging_service_sid: null,
  date_created: new Date(message.at).toUTCString(),
  date_sent: new Date(message.at).toUTCString(),
  date_updated: new Date(message.at).toUTCString(),
  subresource_uris: {},
  uri: `/2010-04-01/Accounts/${account}/Messages/${message.message_id}.json`,
})

function refuse(res: ServerResponse, status: number, code: number, message: string) {
  answer(res, status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status })
}

function credentials(header = ''): string[] {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(header) ?? []
  return Buffer.from(encoded, 'base64').toString().split(':')
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req)
    if ((size += (chunk as Buffer).length) <= 65_536) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

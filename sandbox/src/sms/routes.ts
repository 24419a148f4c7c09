import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bodyText, queryOf, ReplyError } from '../http/request.ts'
import { addMethods } from '../http/server.ts'
import type { Inbox, Message } from '../mail/messages.ts'

/** An error in the format of Twilio. */
class TwilioError extends ReplyError {
  constructor(status: number, code: number, message: string) {
    const more_info = `https://www.twilio.com/docs/errors/${code}`
    super(status, message, { code, message, more_info, status })
  }
}

/**
 * Twilio's Messages resource; every SMS goes to the inbox. `+15005550001` is not a valid number, as with Twilio's own
 * test credentials, `+15005550002` answers 429, and the token `wrong` is not valid.
 */
export function addSmsRoutes(app: FastifyInstance, inbox: Inbox) {
  const path = '/2010-04-01/Accounts/:account(^AC[\\w-]+$)/Messages.json'
  addMethods(
    app,
    path,
    {
      GET: (request, reply) => page(inbox, authenticate(request, reply), queryOf(request)),
      POST(request, reply) {
        const account = authenticate(request, reply)
        const message = inbox.add(readSms(new URLSearchParams(bodyText(request))))
        reply.code(201)
        return resource(message, account)
      },
    },
    (request, reply) => {
      authenticate(request, reply)
      throw new TwilioError(405, 20004, 'Method not allowed')
    },
  )
}

function readSms(form: URLSearchParams): Omit<Message, 'id' | 'at'> {
  const [to, from, body] = [form.get('To'), form.get('From'), form.get('Body')]
  if (!to) throw new TwilioError(400, 21604, "A 'To' phone number is required.")
  if (!from) throw new TwilioError(400, 21603, "A 'From' phone number is required.")
  if (!body) throw new TwilioError(400, 21602, 'Message body is required.')
  if (body.length > 1600)
    throw new TwilioError(400, 21617, 'The message body exceeds the 1600 character limit.')
  if (!/^\+[1-9]\d{6,14}$/.test(to) || to === '+15005550001')
    throw new TwilioError(400, 21211, `The 'To' number ${to} is not a valid phone number.`)
  if (to === '+15005550002') throw new TwilioError(429, 20429, 'Too Many Requests')
  return {
    channel: 'sms',
    from,
    to: [to],
    subject: null,
    text: body,
    html: null,
    headers: [],
    message_id: `SM${randomBytes(16).toString('hex')}`,
  }
}

/** The account of the path, when the credentials are its own. */
function authenticate({ params, headers }: FastifyRequest, reply: FastifyReply): string {
  const { account } = params as { account: string }
  const [user, token] = credentials(headers.authorization)
  if (user !== account || !token || token === 'wrong') {
    reply.header('www-authenticate', 'Basic realm="Twilio API"')
    throw new TwilioError(401, 20003, 'Authenticate')
  }
  return account
}

const page = (inbox: Inbox, account: string, query: URLSearchParams) => {
  const [to, since] = [query.get('To'), query.get('DateSent>')]
  const found = inbox
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

function credentials(header = ''): string[] {
  const [, encoded = ''] = /^basic +(\S+)$/i.exec(header) ?? []
  return Buffer.from(encoded, 'base64').toString().split(':')
}

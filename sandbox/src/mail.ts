import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { answer } from './json-http.ts'
import { listen, stopListening } from './listen.ts'
import { openTray, type Tray } from './mail/letters.ts'
import { startSmtp, type Taking } from './mail/smtp.ts'
import { isSms, serveSms } from './sms.ts'

const page = readFileSync(new URL('./mail/page.html', import.meta.url))
const script = readFileSync(new URL('./mail/page.js', import.meta.url))

/** Nobody can be mailed or texted by accident: what was sent is kept here, and shown on a page. */
export async function startMail(options: { port?: number; smtpPort?: number; taking?: Taking } = {}) {
  const { port = 0, smtpPort = 0, taking } = options
  const tray = openTray()
  const smtp = await startSmtp(tray, { port: smtpPort, taking })
  const server = createServer((req, res) => {
    serve(tray, req, res).catch(() => res.destroy())
  })
  const url = await listen(server, { port })
  return {
    url,
    smtpUrl: smtp.url,
    messages: tray.all,
    clear: tray.clear,
    close: async () => void (await Promise.all([smtp.close(), stopListening(server)])),
  }
}

/** The page runs its own script and no other; what a mail brings along runs nowhere and loads nothing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "frame-src 'self'",
].join('; ')

async function serve(tray: Tray, req: IncomingMessage, res: ServerResponse) {
  const url = new URL(req.url ?? '/', 'http://mail')
  res.setHeader('x-content-type-options', 'nosniff')
  if (isSms(url)) return serveSms(tray, url, req, res)
  const asked = `${req.method} ${url.pathname}`
  if (asked === 'GET /') return send(res, 'text/html; charset=utf-8', page)
  if (asked === 'GET /page.js') return send(res, 'text/javascript; charset=utf-8', script)
  if (asked === 'GET /health') return answer(res, 200, { status: 'ok' })
  if (asked === 'GET /messages') return answer(res, 200, { messages: tray.all().map(summary) })
  if (asked === 'DELETE /messages') return (tray.clear(), answer(res, 204, undefined))
  const [, id, part] = /^\/messages\/([\w-]+)(\/html)?$/.exec(url.pathname) ?? []
  const message = id === undefined ? undefined : tray.find(id)
  if (!message || req.method !== 'GET')
    return answer(res, 404, { error: { code: 'not_found', message: `There is nothing at ${url.pathname}.` } })
  if (!part) return answer(res, 200, { message })
  const frame =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
  send(res, 'text/html; charset=utf-8', Buffer.from(message.html ?? ''), frame)
}

const summary = ({ id, channel, from, to, subject, text, at }: ReturnType<Tray['all']>[number]) => ({
  id,
  channel,
  from,
  to,
  subject,
  preview: (text ?? '').replace(/\s+/g, ' ').slice(0, 140),
  at,
})

function send(res: ServerResponse, type: string, body: Buffer, contentPolicy = policy) {
  res.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    'content-security-policy': contentPolicy,
    'cache-control': 'no-store',
  })
  res.end(body)
}

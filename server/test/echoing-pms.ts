import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen, stopListening } from '../../sandbox/src/listen.ts'
import { canaries } from './canaries.ts'

/**
 * A PMS, and whatever else is asked, that repeats every secret it is sent: `/401/…` answers with 401, in the envelope
 * of each provider at once. Tokens it gives to everybody, except at `/401`.
 */
export async function openEchoingPms() {
  const urls: string[] = []
  const server = createServer((request, response) => void answer(request, response))
  const url = await listen(server, {})
  return { url, urls, [Symbol.asyncDispose]: () => stopListening(server) }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const path = request.url!
    urls.push(path)
    // Whoever names no status in the address is refused: the library of payments keeps no path of ours.
    const status = Number(path.split('/')[1]) || 401
    const isToken = path.endsWith('/accessTokens') && status !== 401
    if (isToken) return send(response, 200, { access_token: canaries.token, expires_in: 3_600 })
    const keys = [request.headers.authorization?.replace(/^\w+ /, ''), request.headers['user-api-key']]
    const key = keys.flat().find(Boolean) ?? new URLSearchParams(body).get('client_secret') ?? 'none'
    // Once at the beginning, and once where the words are cut off.
    const words = `${key} is not known. ${'So it is. '.repeat(26)}${key} ${path} ${body}`
    send(response, status, said(key, words), {
      'x-request-id': key,
      'retry-after': key,
      'ratelimit-reset': key,
      location: `http://127.0.0.1:1/?key=${encodeURIComponent(key)}`,
      etag: `"${key}"`,
    })
  }
}

const said = (key: string, words: string) => ({
  error: { code: key, message: words },
  errors: { code: key, title: words, details: { [key]: [words] } },
  status: 'fail',
  result: words,
  message: words,
  id: key,
})

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

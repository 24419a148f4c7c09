import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen, stopListening } from '../../sandbox/test/listen.ts'
import { canaries } from './canaries.ts'

/**
 * A server that returns every secret it receives, as a PMS or any other provider: a path `/401/…` responds with 401, in the
 * format of all providers. It issues tokens for all requests except at `/401`.
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
    // Without a status in the path the request is rejected, because the payment library replaces the path.
    const status = Number(path.split('/')[1]) || 401
    const isToken = path.endsWith('/accessTokens') && status !== 401
    if (isToken) return send(response, 200, { access_token: canaries.token, expires_in: 3_600 })
    const keys = [request.headers.authorization?.replace(/^\w+ /, ''), request.headers['user-api-key']]
    const key = keys.flat().find(Boolean) ?? new URLSearchParams(body).get('client_secret') ?? 'none'
    // At the start, and where long texts are truncated.
    const words = `${key} is not known. ${'So it is. '.repeat(26)}${key} ${path} ${body}`
    send(response, status, echoOf(key, words), {
      'x-request-id': key,
      'retry-after': key,
      'ratelimit-reset': key,
      location: `http://127.0.0.1:1/?key=${encodeURIComponent(key)}`,
      etag: `"${key}"`,
    })
  }
}

const echoOf = (key: string, words: string) => ({
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

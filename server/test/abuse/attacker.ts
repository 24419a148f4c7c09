import assert from 'node:assert/strict'
import { expectProblem, expectStatus } from '../expect.ts'
import { openWorld } from '../world.ts'
import { sendBytes } from './raw-answers.ts'

export const path = '/api/v1/spaces'
/** The status of a response that did not arrive, because the connection was closed. */
export const closed = 0
export const fine = JSON.stringify({ name: 'From the wire' })
export const host = 'Host: x\r\n'
export const json = 'Content-Type: application/json\r\n'
export const close = 'Connection: close\r\n'
export const length = (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n`
export const chunks = (body: string, extension = '', trailers = '') =>
  `${Buffer.byteLength(body).toString(16)}${extension}\r\n${body}\r\n0\r\n${trailers}\r\n`

/** A world with short timeouts, and a client that writes every byte by hand. */
export async function openAttacker() {
  await using opened = new AsyncDisposableStack()
  const soon = { HEADERS_TIMEOUT_MS: '250', BODY_TIMEOUT_MS: '250', IDLE_TIMEOUT_MS: '250' }
  const world = opened.use(await openWorld({ env: soon }))
  const owner = await world.home.as('owner')
  const token = `Authorization: Bearer ${owner.token}\r\n`
  const spaces = async () => expectStatus(await owner.get(path), 200).spaces.length as number
  const kept = opened.move()
  return {
    owner,
    token,
    send: (bytes: string | Buffer) => sendBytes(world.url, bytes),
    get: (headers = '', line = `GET ${path} HTTP/1.1`) => `${line}\r\n${host}${token}${headers}\r\n`,
    post: (headers: string, body: string, line = `POST ${path} HTTP/1.1`) =>
      `${line}\r\n${host}${token}${json}${headers}\r\n${body}`,
    /** A request of somebody else, in what seems to be the body of another one. */
    hidden: () => `DELETE ${path}/00000000-0000-4000-8000-000000000000 HTTP/1.1\r\n${host}${token}\r\n`,
    /** One answer at most, no 5xx, no effect, and others are served as before. */
    async expectNoEffect(bytes: string | Buffer, statuses: readonly number[]): Promise<void> {
      const before = await spaces()
      const answers = await sendBytes(world.url, bytes)
      const received = answers.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join('\n')
      assert.ok(answers.length <= 1, `two answers:\n${received}`)
      const [answer] = answers
      assert.ok(
        statuses.includes(answer?.status ?? closed),
        `${statuses.join()} expected, not: ${received || 'a close'}`,
      )
      if (answer?.text) expectProblem(answer, answer.status, answer.body.code)
      assert.equal(await spaces(), before, 'it had an effect')
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export type Attacker = Awaited<ReturnType<typeof openAttacker>>

import { assertStated } from './stated-problems.ts'

/** What came back: status, headers, and the body parsed when it is JSON. */
export interface Reply {
  status: number
  headers: Headers
  // The shape of an answer is what tests look at, so it is not typed here.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any
  text: string
}

type Extra = Record<string, string>

/** One client with one token, speaking real HTTP. */
export interface TestCaller {
  token: string | null
  get(path: string, headers?: Extra): Promise<Reply>
  post(path: string, body?: unknown, headers?: Extra): Promise<Reply>
  put(path: string, body?: unknown, headers?: Extra): Promise<Reply>
  patch(path: string, body?: unknown, headers?: Extra): Promise<Reply>
  delete(path: string, headers?: Extra): Promise<Reply>
  send(
    method: string,
    path: string,
    init: { body?: string | Uint8Array<ArrayBuffer> | FormData; headers?: Extra },
  ): Promise<Reply>
}

export function callerFor(url: string, token: string | null): TestCaller {
  const send: TestCaller['send'] = async (method, path, { body, headers }) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false
    const reply: Reply = {
      status: answer.status,
      headers: answer.headers,
      body: isJson && text ? JSON.parse(text) : null,
      text,
    }
    assertStated(method, path, reply)
    return reply
  }
  const json =
    (method: string) =>
    (path: string, body?: unknown, headers: Extra = {}) =>
      send(method, path, {
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', ...headers },
      })
  return {
    token,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: json('POST'),
    put: json('PUT'),
    patch: json('PATCH'),
    delete: (path, headers = {}) => send('DELETE', path, { headers }),
    send,
  }
}

import { assertDocumented } from './documented-problems.ts'

/** A response; the body is parsed when it is JSON. */
export interface Reply {
  status: number
  headers: Headers
  // Tests check the shape of the body, so it has no type.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any
  text: string
}

type Extra = Record<string, string>

/** An HTTP client with one token. */
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
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const reply: Reply = {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : null,
      text,
    }
    assertDocumented(method, path, reply)
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

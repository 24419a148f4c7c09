import { agentHeader } from '#http/authenticate.ts'

/** A request that the API rejected, with its problem document. */
export class Rejected extends Error {
  readonly problem: unknown
  constructor(problem: unknown) {
    super('The API rejected the request.')
    this.problem = problem
  }
}

export type Scalar = string | number | boolean

interface CallOptions {
  readonly query?: Record<string, Scalar | readonly string[] | undefined>
  readonly body?: object
  readonly headers?: Record<string, string>
}

/** Calls an operation for the person whose token the agent has. @throws Rejected */
export type Api = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  options?: CallOptions,
) => Promise<unknown>

/** A request to this process. */
interface InnerRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly remoteAddress: string
  readonly headers: Record<string, string>
  readonly payload?: object
}
interface InnerResponse {
  readonly statusCode: number
  readonly body: string
}
type Send = (request: InnerRequest) => Promise<InnerResponse>

interface Received {
  readonly ip: string
  readonly headers: Record<string, string | string[] | undefined>
}

/**
 * The API as the caller of a request may use it: each call is a request of its own within this process, with the same
 * token, organization, permissions, limits and audit.
 */
export function apiFor(send: Send, request: Received, agent: string): Api {
  const passed = ['authorization', 'x-organization', 'x-internal-token'].flatMap((name) =>
    typeof request.headers[name] === 'string' ? [[name, request.headers[name]] as const] : [],
  )
  const own = {
    ...Object.fromEntries(passed),
    [agentHeader]: agent
      .replace(/[^\w ./()-]+/g, ' ')
      .trim()
      .slice(0, 64),
  }
  return async (method, path, { query = {}, body, headers } = {}) => {
    const response = await send({
      method,
      url: `/api/v1${path}${queryText(query)}`,
      remoteAddress: request.ip,
      headers: { ...own, ...headers },
      ...(body && { payload: body }),
    })
    const answer: unknown = response.body === '' ? null : JSON.parse(response.body)
    if (response.statusCode >= 400) throw new Rejected(answer)
    return answer
  }
}

function queryText(query: CallOptions['query'] = {}): string {
  const values = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value.toString()] as [string, string]],
  )
  return values.length > 0 ? `?${new URLSearchParams(values).toString()}` : ''
}

/** The client of the API as commands use it: with their address and token, and with errors for the user. */
import { connect, type RequestOptions } from '../../../client/src/connect.ts'
import type { StreamEvent } from '../../../client/src/event-stream.ts'
import type { Method, RequestData } from '../../../client/src/operation.ts'
import { openAccess, type Access, type AccessOptions } from './access.ts'
import { commandErrorOf } from './api-error.ts'
import type { CommandContext } from './command-context.ts'

export type ApiOptions = AccessOptions

export interface ApiClient {
  readonly url: string
  request<Body>(method: Method, path: string, body?: unknown, options?: RequestOptions): Promise<Body>
  /** All records of a list, page by page. */
  list<Row>(path: string, query?: Readonly<Record<string, string>>): Promise<Row[]>
  /** The content of a file. */
  download(path: string): Promise<Blob>
  /** The events of a stream, until it ends or the signal is aborted. */
  stream(path: string, signal: AbortSignal): AsyncGenerator<StreamEvent>
}

const timeoutMs = 60_000
/** A 429 is retried when its Retry-After is at most this. */
const maxWaitMs = 60_000

export async function openApiClient(context: CommandContext, options: ApiOptions): Promise<ApiClient> {
  return clientFor(openAccess(context, options))
}

function clientFor({ url, organizationId, token }: Access): ApiClient {
  const client = connect({
    baseUrl: url,
    token,
    timeoutMs,
    maxWaitMs,
    fetch: (target, init) => {
      const headers = new Headers(init?.headers)
      if (organizationId) headers.set('x-organization', organizationId)
      // A redirect would send the token elsewhere.
      return fetch(target, { ...init, headers, redirect: 'error' })
    },
  })
  const reported = async <T>(work: Promise<T>): Promise<T> =>
    await work.catch((error: unknown) => {
      throw commandErrorOf(error, url)
    })
  const request: ApiClient['request'] = async <Body>(
    method: Method,
    path: string,
    body?: unknown,
    more: RequestOptions = {},
  ) =>
    (await reported(
      client.send({ method, path: literal(path) }, { ...(body !== undefined && { body }), ...more }),
    )) as Body

  return {
    url,
    request,
    async list<Row>(path: string, query: Readonly<Record<string, string>> = {}) {
      type Page = { next_cursor: string | null; records: Row[] }
      const list = { method: 'GET' as const, path: `/api/v1${path}` }
      const records: Row[] = []
      const readAll = async () => {
        for await (const record of client.listAll<RequestData, Page>(list, { query })) records.push(record)
      }
      await reported(readAll())
      return records
    },
    download: (path) => reported(client.download({ method: 'GET', path: literal(path) })),
    async *stream(path, signal) {
      try {
        yield* client.stream({ method: 'GET', path: literal(path) }, { signal })
      } catch (error) {
        throw commandErrorOf(error, url)
      }
    },
  }
}

/** The client takes braces for parameters. */
const literal = (path: string) => path.replaceAll('{', '%7B').replaceAll('}', '%7D')

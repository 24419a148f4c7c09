/** A client of the API: of the running product, or of a given URL. */
import { setTimeout as sleep } from 'node:timers/promises'
import { trimTrailingSlashes } from '#schema/fields.ts'
import { CommandError, type exitCodes } from './command-error.ts'
import { runningProduct } from './product.ts'
import { errorMessage, type CommandContext } from './command-context.ts'
import { requestToken } from './token.ts'

/** Without a URL it is the product that runs here, whose identity provider issues a token. */
export interface ApiOptions {
  url?: string
  token?: string
  as: string
  org: string
}

export interface ApiClient {
  request<Body>(method: 'GET' | 'POST', path: string, body?: object): Promise<Body>
  /** All records of a list, page by page. */
  list<Row>(path: string, name: string): Promise<Row[]>
  /** The body of a streaming response, which ends when the signal is aborted. */
  stream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

const timeoutMs = 60_000
/** A 429 is retried when its Retry-After is at most this. */
const maxRetryAfterSeconds = 60
const maxRetries = 3

export async function openApiClient(context: CommandContext, access: ApiOptions): Promise<ApiClient> {
  const givenUrl = access.url ?? context.env['VACANCY_URL']
  const givenToken = access.token ?? context.env['VACANCY_TOKEN']
  const url = baseUrlOf(givenUrl ?? runningProduct(context).api_url)
  if (!givenToken && givenUrl)
    throw new CommandError('authentication', `There is no token for ${url}: set VACANCY_TOKEN.`)
  const newToken = async () =>
    givenToken ?? (await requestToken(context, { role: access.as, org: access.org })).access_token
  let token = await newToken()

  const send = async (method: string, path: string, signal: AbortSignal, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const init = { method, headers, signal, redirect: 'error' as const }
    return await fetch(`${url}${path}`, body ? { ...init, body: JSON.stringify(body) } : init).catch(
      (cause: unknown) => {
        if (signal.aborted && signal.reason instanceof DOMException && signal.reason.name === 'AbortError')
          throw signal.reason
        throw new CommandError('failed', `${url} does not respond: ${errorMessage(cause)}.`, cause)
      },
    )
  }
  const sendWithRetries = async (method: string, path: string, signal: () => AbortSignal, body?: object) => {
    for (let retries = 0, renewed = false; ;) {
      const response = await send(method, path, signal(), body)
      if (response.ok) return response
      const seconds = Number(response.headers.get('retry-after') ?? Infinity)
      if (response.status === 401 && !givenToken && !renewed) {
        await response.body?.cancel()
        renewed = true
        token = await newToken()
      } else if (response.status === 429 && seconds <= maxRetryAfterSeconds && retries < maxRetries) {
        await response.body?.cancel()
        retries++
        await sleep(seconds * 1_000)
      } else throw await errorFromResponse(response)
    }
  }
  const request = async <Body>(method: 'GET' | 'POST', path: string, body?: object) =>
    (await (await sendWithRetries(method, path, () => AbortSignal.timeout(timeoutMs), body)).json()) as Body

  return {
    request,
    async list<Row>(path: string, name: string) {
      const records: Row[] = []
      const first = `/api/v1${path}${path.includes('?') ? '&' : '?'}limit=100`
      for (let next: string | null = first; next !== null;) {
        const page: Record<string, unknown> = await request<Record<string, unknown>>('GET', next)
        records.push(...(page[name] as Row[]))
        const cursor = page['next_cursor'] as string | null
        next = cursor && `${first}&cursor=${cursor}`
      }
      return records
    },
    async stream(path, signal) {
      return (await sendWithRetries('GET', path, () => signal)).body!
    },
  }
}

function baseUrlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new CommandError('usage', `${text} is not a URL: it must begin with http:// or https://.`)
  return trimTrailingSlashes(text)
}

const errorKinds: Record<number, keyof typeof exitCodes> = {
  400: 'usage',
  401: 'authentication',
  403: 'authentication',
  404: 'notFound',
  409: 'conflict',
  412: 'conflict',
  429: 'rateLimited',
}

async function errorFromResponse(response: Response): Promise<CommandError> {
  const problem = (await response.json().catch(() => ({}))) as {
    detail?: string
    error?: string
    retryAfter?: number
  }
  const wait = problem.retryAfter === undefined ? '' : `: try again in ${problem.retryAfter} s`
  const message = problem.detail ?? `${problem.error ?? `The API responded with ${response.status}`}${wait}.`
  return new CommandError(errorKinds[response.status] ?? 'failed', message)
}

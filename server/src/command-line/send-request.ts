/** Sends one request of the API and prints the response. */
import type { Method } from '../../../client/src/operation.ts'
import type { DescribedOperation } from '../../../client/describe-operations.ts'
import { openApiClient, type ApiOptions } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { findOperation, readContract, schemaOfField } from './contract.ts'
import { readBody, readQuery, type BodyInput } from './request-body.ts'

export interface RequestInput extends ApiOptions, BodyInput {
  ifMatch?: string
  idempotencyKey?: string
}

export async function sendRequest(
  context: CommandContext,
  method: Method,
  givenPath: string,
  input: RequestInput,
  asJson: boolean,
): Promise<void> {
  const api = await openApiClient(context, input)
  const path = apiPath(givenPath)
  if (method === 'GET') {
    const url = `${path}${queryText(path, input.fields)}`
    if (!isFile(path)) return printJson(context, await api.request('GET', url), asJson)
    return void context.out.write(await (await api.download(url)).bytes())
  }
  const contract = readContract(context.root)
  const operation = findOperation(contract, method, path)
  const body = await readBody(input, (name) => (operation ? schemaOfField(contract, operation, name) : {}))
  printJson(
    context,
    await api.request(method, path, body ?? emptyBody(operation), requestOptions(input)),
    asJson,
  )
}

export const requestOptions = ({
  ifMatch,
  idempotencyKey,
}: Pick<RequestInput, 'ifMatch' | 'idempotencyKey'>) => ({
  ...(ifMatch !== undefined && { ifMatch }),
  ...(idempotencyKey !== undefined && { idempotencyKey }),
})

/** An operation whose body has only optional members accepts none of them. */
export const emptyBody = (operation: DescribedOperation | undefined) => (operation?.body ? {} : undefined)

/** Prints nothing for a response without a body. */
function printJson({ out }: CommandContext, value: unknown, asJson: boolean): void {
  if (value !== undefined) out.write(`${JSON.stringify(value, null, asJson ? 0 : 2)}\n`)
}

/** `units` and `/units` are short for `/api/v1/units`. */
function apiPath(path: string): string {
  const absolute = path.startsWith('/') ? path : `/${path}`
  return /^\/((api|health|metrics|docs)(\/|$|\?)|media\/[^/]+\/|calendars\/)/.test(absolute)
    ? absolute
    : `/api/v1${absolute}`
}

function queryText(path: string, fields: readonly string[]): string {
  const pairs = Object.entries(readQuery(fields)).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  )
  if (pairs.length === 0) return ''
  return `${path.includes('?') ? '&' : '?'}${new URLSearchParams(pairs).toString()}`
}

/** Files are not JSON. */
const isFile = (path: string) => /\.(csv|ics|md|txt)(\?|$)|^\/(metrics|media|docs)\b/.test(path)

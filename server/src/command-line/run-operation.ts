/** Sends a request of an operation and shows the response. */
import { writeFile } from 'node:fs/promises'
import { nextCursorOf } from '../../../client/src/connect.ts'
import type { DescribedOperation } from '../../../client/describe-operations.ts'
import { buildUrl } from '../../../client/src/operation.ts'
import { openApiClient, type ApiClient } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { CommandError } from './command-error.ts'
import { schemaOfField, type Contract } from './contract.ts'
import { readBody } from './request-body.ts'
import { emptyBody, requestOptions, type RequestInput } from './send-request.ts'
import { showRecord, showRecords, valueAt } from './show-records.ts'

export interface OperationInput extends RequestInput {
  path: Record<string, string>
  query: Record<string, unknown>
  all?: boolean
  columns?: string
  output?: string
  get?: string
  [option: string]: unknown
}

export async function runOperation(
  context: CommandContext,
  contract: Contract,
  operation: DescribedOperation,
  input: OperationInput,
  asJson: boolean,
): Promise<void> {
  const { out } = context
  const { httpMethod, reply } = operation
  const api = await openApiClient(context, input)
  const url = buildUrl('', operation.path, input.path, input.query)
  if (reply.kind === 'file') {
    const content = await (await api.download(url)).bytes()
    return void (input.output ? await writeFile(input.output, content) : out.write(content))
  }
  if (reply.kind === 'list') return await showList(context, api, url, reply.member, input, asJson)
  const given = await readBody(input, (name) => schemaOfField(contract, operation, name))
  const body = httpMethod === 'GET' ? undefined : (given ?? emptyBody(operation))
  const response = await api.request(httpMethod, url, body, requestOptions(input))
  if (input.get) return printMember(context, [onlyMember(response)], input.get)
  if (asJson) return void out.write(`${JSON.stringify(response ?? {})}\n`)
  out.write(response === undefined ? 'Done.\n' : `${showRecord(onlyMember(response))}\n`)
}

async function showList(
  { out, err, env }: CommandContext,
  api: ApiClient,
  url: string,
  member: string,
  input: OperationInput,
  asJson: boolean,
): Promise<void> {
  const page = await api.request<Record<string, unknown>>('GET', url)
  const records = page[member] as Record<string, unknown>[]
  let next = nextCursorOf(page)
  while (input.all && next !== null) {
    const more: Record<string, unknown> = await api.request('GET', withCursor(url, next))
    records.push(...(more[member] as Record<string, unknown>[]))
    next = nextCursorOf(more)
  }
  if (input.get) return printMember({ out }, records, input.get)
  if (asJson) {
    const whole = input.all ? { [member]: records, next_cursor: next, has_more: false } : page
    return void out.write(`${JSON.stringify(whole)}\n`)
  }
  const columns = input.columns?.split(',').map((name) => name.trim())
  const isColored = out.isTTY && !env['NO_COLOR']
  if (records.length === 0) out.write('There are none.\n')
  else out.write(`${showRecords(member, records, { columns, width: out.columns ?? 160, isColored })}\n`)
  if (next !== null) err.write(`There are more: add --all, or --cursor ${next}\n`)
}

/** One line for each record, for the variables of a script. */
function printMember({ out }: Pick<CommandContext, 'out'>, records: readonly unknown[], name: string): void {
  for (const record of records) {
    const value = valueAt(record, name)
    if (value === undefined) throw new CommandError('usage', `The record has no member ${name}.`)
    out.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
  }
}

function withCursor(url: string, cursor: string): string {
  const [path, query] = url.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `${path}?${parameters.toString()}`
}

/** The record without the object around it. */
function onlyMember(response: unknown): unknown {
  if (typeof response !== 'object' || response === null)
    throw new CommandError('failed', 'The response is empty.')
  const members: unknown[] = Object.values(response)
  const [only] = members
  return members.length === 1 && typeof only === 'object' && only !== null ? only : response
}

import assert from 'node:assert/strict'
import { Ajv, type ValidateFunction } from 'ajv'
import { isCountry, isCurrency, isDate, isDateTime, isDayOrTime, isUuid } from '#schema/fields.ts'
import { isTimeZone } from '#schema/nights.ts'
import type { Reply } from './caller.ts'
import { contract, operations, type Operation } from './operations.ts'

/** Checks responses against openapi.json. */

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    uuid: isUuid,
    date: isDate,
    'date-time': isDateTime,
    'day-or-time': isDayOrTime,
    currency: isCurrency,
    'time-zone': isTimeZone,
    country: isCountry,
    uri: (text: string) => URL.canParse(text),
    int32: true,
    int64: true,
    binary: true,
  },
})
// References inside the schemas point into the document.
ajv.addSchema({ ...contract, $id: 'contract' })
const validators = new Map<string, ValidateFunction>()
/** The statuses of the responses of each operation. */
export const seenStatuses = new Map<string, Set<string>>()

function validatorOf(operation: Operation, status: string, type: string): ValidateFunction {
  const found = contract.paths[operation.path]![operation.method.toLowerCase()]!.responses[status]!
  if (!('$ref' in found)) return validatorAt(operation, 'responses', status, 'content', type, 'schema')
  return compileSchema([...found.$ref.replace('#/', '').split('/'), 'content', type, 'schema'])
}

/** Whether the body matches the schema of the request. */
export const matchesRequestSchema = (operation: Operation, body: unknown): boolean =>
  validatorAt(operation, 'requestBody', 'content', 'application/json', 'schema')(body)

function validatorAt({ path, method }: Operation, ...inside: string[]): ValidateFunction {
  return compileSchema(['paths', path, method.toLowerCase(), ...inside])
}

/** The validator of the schema at a path of the document. */
function compileSchema(at: readonly string[]): ValidateFunction {
  const pointer = at
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `contract#/${pointer}` })
  validators.set(pointer, known)
  return known
}

/** Asserts that the contract has the status, content type, headers and body of the response. */
export function assertConforms(operation: Operation, reply: Reply): Reply {
  const status = String(reply.status)
  const stated = operation.responses[status]
  assert.ok(stated, `${operation.name} answers ${status}, which is not stated: ${reply.text}`)
  seenStatuses.set(operation.name, (seenStatuses.get(operation.name) ?? new Set()).add(status))
  const types = Object.keys(stated.content ?? {})
  if (types.length === 0) {
    assert.equal(reply.text, '')
    return reply
  }
  const type = reply.headers.get('content-type')?.split(';')[0] ?? ''
  assert.ok(types.includes(type), `${operation.name} answers ${type}, which is not stated`)
  const validate = validatorOf(operation, status, type)
  assert.ok(
    validate(reply.body ?? reply.text),
    `${operation.name} ${status}: ${ajv.errorsText(validate.errors)}\n${reply.text}`,
  )
  const headers = Object.keys((stated as { headers: object }).headers).map((name) => name.toLowerCase())
  for (const name of ['etag', 'link', 'location', 'retry-after', 'www-authenticate', 'idempotent-replayed'])
    if (reply.headers.has(name))
      assert.ok(headers.includes(name), `${operation.name} ${status}: ${name} is not stated`)
  return reply
}

export const operationOf = (method: string, path: string): Operation => {
  const template = path
    .split('?')[0]!
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]{43}(?=\.ics)|[\w-]+(?=\.tar$)|[\w-]{32}\.[a-z]+$/g, '{}')
  const found = operations.find(
    (one) => one.method === method && one.path.replace(/\{\w+\}/g, '{}') === template,
  )
  assert.ok(found, `${method} ${template} is not in the contract`)
  return found
}

/** An event has the data that the contract states for its type, as webhooks and the feed carry it. */
export function eventConforms(event: Record<string, unknown>): void {
  const content = ['post', 'requestBody', 'content', 'application/json', 'schema']
  const validate = compileSchema(['x-webhooks', String(event['type']), ...content])
  assert.ok(
    validate({ ...event, timestamp: event['occurred_at'] }),
    `${String(event['type'])}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(event['data'])}`,
  )
}

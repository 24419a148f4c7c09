import assert from 'node:assert/strict'
import { Ajv, type ValidateFunction } from 'ajv'
import { isCountry, isCurrency, isDate, isDateTime, isDayOrTime, isTimeZone, isUuid } from '#fields.ts'
import type { Reply } from './caller.ts'
import { contract, operations, type Operation } from './operations.ts'

/** Answers held against openapi.json. */

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
/** The statuses that each operation was seen to answer. */
export const seen = new Map<string, Set<string>>()

function validatorOf(operation: Operation, status: string, type: string): ValidateFunction {
  const found = contract.paths[operation.path]![operation.method.toLowerCase()]!.responses[status]!
  if (!('$ref' in found)) return validatorAt(operation, 'responses', status, 'content', type, 'schema')
  return compiled([...found.$ref.replace('#/', '').split('/'), 'content', type, 'schema'])
}

/** Whether the contract lets this be the body of a request. */
export const isStated = (operation: Operation, body: unknown): boolean =>
  validatorAt(operation, 'requestBody', 'content', 'application/json', 'schema')(body)

function validatorAt({ path, method }: Operation, ...inside: string[]): ValidateFunction {
  return compiled(['paths', path, method.toLowerCase(), ...inside])
}

/** The schema at a place of the document. */
function compiled(at: readonly string[]): ValidateFunction {
  const pointer = at
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `contract#/${pointer}` })
  validators.set(pointer, known)
  return known
}

/** The answer has a status, a content type, headers and a body that the contract states for the operation. */
export function conforms(operation: Operation, reply: Reply): Reply {
  const status = String(reply.status)
  const stated = operation.responses[status]
  assert.ok(stated, `${operation.name} answers ${status}, which is not stated: ${reply.text}`)
  seen.set(operation.name, (seen.get(operation.name) ?? new Set()).add(status))
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
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[\w-]{43}(?=\.ics)|[\w-]{32}\.[a-z]+$/g, '{}')
  const found = operations.find(
    (one) => one.method === method && one.path.replace(/\{\w+\}/g, '{}') === template,
  )
  assert.ok(found, `${method} ${template} is not in the contract`)
  return found
}

/** An event has the data that the contract states for its type, as webhooks and the feed carry it. */
export function eventConforms({ id, type, occurred_at, data }: Record<string, unknown>): void {
  const content = ['post', 'requestBody', 'content', 'application/json', 'schema']
  const validate = compiled(['x-webhooks', String(type), ...content])
  assert.ok(
    validate({ id, type, timestamp: occurred_at, data }),
    `${String(type)}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(data)}`,
  )
}

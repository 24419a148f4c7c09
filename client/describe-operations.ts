import type { Method } from './src/operation.ts'
import { capitalize, nameOperation, type OperationName } from './operation-names.ts'

/** What the contract states about each operation. */

export interface Schema {
  $ref?: string
  type?: string
  format?: string
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  allOf?: Schema[]
}
interface Response {
  $ref?: string
  content?: Record<string, { schema: Schema }>
}
export interface Parameter {
  $ref?: string
  in?: string
  name?: string
  required?: boolean
  description?: string
  schema?: Schema
}
interface PathItemOperation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  'x-permission': string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}
export interface OpenApiDocument {
  paths: Record<string, Record<string, PathItemOperation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    parameters: Record<string, Parameter>
  }
  'x-webhooks': Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: Schema } } } } }
  >
}

export interface DescribedOperation extends OperationName {
  httpMethod: Method
  path: string
  /** Of the generated types: `PatchUnitsById`. */
  typeName: string
  summary: string
  description: string | undefined
  pathParameters: string[]
  query: Parameter[]
  /** Null when the operation takes none. */
  body: { type: string; schema: Schema } | null
  reply: Reply
}

/** `record` is the only member of a response, which a method returns without the object around it. */
type Reply = { kind: 'list' | 'record'; member: string } | { kind: 'whole' | 'file' | 'stream' }

/** Without the addresses for signed messages of other systems, and for agents, which have clients of their own. */
export function describeOperations(document: OpenApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => !tags.some((tag) => ['webhooks', 'agents'].includes(tag)))
      .map(([method, operation]) =>
        describeOperation(document, method.toUpperCase() as Method, path, operation),
      ),
  )
}

function describeOperation(
  { components }: OpenApiDocument,
  httpMethod: Method,
  path: string,
  { operationId, summary, description, parameters = [], requestBody, responses }: PathItemOperation,
): DescribedOperation {
  const successes = Object.keys(responses).filter((status) => status.startsWith('2'))
  const response = resolve(responses[successes[0]!]!, components.responses)
  const reply = replyOf(response, components.schemas)
  const query = parameters
    .map((parameter) => resolve(parameter, components.parameters))
    .filter((parameter) => parameter.in === 'query')
  const isWhole = successes.length > 1 || (reply.kind === 'list' && httpMethod !== 'GET')
  return {
    ...nameOperation(httpMethod, path, reply.kind === 'list'),
    httpMethod,
    path,
    typeName: capitalize(operationId),
    summary,
    description,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query,
    body: requestBody ? bodyOf(requestBody.content) : null,
    reply: isWhole ? { kind: 'whole' } : reply,
  }
}

function bodyOf(content: Record<string, { schema: Schema }>): DescribedOperation['body'] {
  const [type = '', { schema } = { schema: {} }] = Object.entries(content)[0] ?? []
  return { type, schema }
}

function replyOf({ content = {} }: Response, schemas: Record<string, Schema>): Reply {
  const [type] = Object.keys(content)
  if (type === 'text/event-stream') return { kind: 'stream' }
  if (type !== undefined && type !== 'application/json') return { kind: 'file' }
  const stated = content['application/json']?.schema ?? {}
  const { properties = {} } = resolve(stated, schemas)
  const members = Object.keys(properties).filter((name) => !['next_cursor', 'has_more'].includes(name))
  const [member] = members
  if (member === undefined || members.length > 1 || stated.$ref) return { kind: 'whole' }
  if (properties[member]!.type === 'array') return { kind: 'list', member }
  return properties[member]!.$ref ? { kind: 'record', member } : { kind: 'whole' }
}

const resolve = <T extends { $ref?: string }>(part: T, components: Record<string, T>): T =>
  part.$ref ? components[part.$ref.split('/').at(-1)!]! : part

import { capitalize, nameOperation, type OperationName } from './operation-names.ts'

/** Writes the modules of the operations and of the resources. */

interface Schema {
  $ref?: string
  type?: string
  properties?: Record<string, Schema>
}
interface Response {
  $ref?: string
  content?: Record<string, { schema: Schema }>
}
interface Parameter {
  $ref?: string
  in?: string
  required?: boolean
}
interface PathItemOperation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: object
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

interface DescribedOperation extends OperationName {
  httpMethod: string
  path: string
  /** Of the generated types: `PatchUnitsById`. */
  typeName: string
  comment: string
  pathParameters: string[]
  hasBody: boolean
  hasQuery: boolean
  requiresQuery: boolean
  reply: Reply
}

/** `record` is the only member of a response, which a method returns without the object around it. */
type Reply = { kind: 'list' | 'record'; member: string } | { kind: 'whole' | 'file' | 'stream' }

const header = '// This file is generated from openapi.json: run npm run generate -w client\n'
const contract = `import type * as contract from './types.gen.ts'\n`

/** A constant for each operation, so that a bundle contains only those that it uses. */
export function operationsModule(document: OpenApiDocument): string {
  const constants = describeOperations(document).map(
    ({ operation, typeName, httpMethod, path, comment }) =>
      `${comment}export const ${operation}: Operation<contract.${typeName}Data, contract.${typeName}Response> = ` +
      `{ method: '${httpMethod}', path: '${path}' }\n`,
  )
  return [
    header,
    contract,
    `import type { Operation } from '../operation.ts'\n\n`,
    constants.join('\n'),
  ].join('')
}

/** A class for each resource, and one with all of them. */
export function resourcesModule(document: OpenApiDocument): string {
  const resources = [...Map.groupBy(describeOperations(document), ({ resource }) => resource)]
  const classes = resources.map(
    ([resource, operations]) =>
      `class ${className(resource)} extends Resource {\n${operations.map(methodOf).join('\n')}}\n`,
  )
  const members = resources.map(([resource]) => `  readonly ${resource}: ${className(resource)}\n`).join('')
  const assignments = resources
    .map(([resource]) => `    this.${resource} = new ${className(resource)}(client)\n`)
    .join('')
  return [
    header,
    contract,
    `import type { Client, RequestOptions, StreamOptions } from '../connect.ts'\n`,
    `import * as operations from './operations.gen.ts'\n`,
    `import { Resource } from '../resource.ts'\nimport type { Query } from '../resource.ts'\n\n`,
    classes.join('\n'),
    `\n/** All resources of the API. */\nexport class Resources {\n${members}\n`,
    `  constructor(client: Client) {\n${assignments}  }\n}\n`,
  ].join('')
}

/** The methods of `Resource`. */
const senders = {
  whole: 'request',
  record: 'requestRecord',
  list: 'requestList',
  file: 'requestFile',
  stream: 'followStream',
}

/** `Search` would name a record. */
const className = (resource: string) => `${capitalize(resource)}Resource`

function methodOf({ method, operation, typeName, comment, ...rest }: DescribedOperation): string {
  const { pathParameters, hasBody, hasQuery, requiresQuery, reply } = rest
  const data = `contract.${typeName}Data`
  const hasQueryArgument = hasQuery && !hasBody
  const parameters = [
    ...pathParameters.map((name) => `${camelCase(name)}: string`),
    ...(hasBody ? [`body: ${data}['body']`] : []),
    ...(hasQueryArgument ? [`query: Query<${data}>${requiresQuery ? '' : ' = {}'}`] : []),
    `options: ${reply.kind === 'stream' ? 'StreamOptions' : 'RequestOptions'}${hasQuery && hasBody ? ` & { query?: Query<${data}> }` : ''} = {}`,
  ]
  const args = [
    '...options',
    ...(pathParameters.length > 0
      ? [
          `path: { ${pathParameters.map((name) => `${name === camelCase(name) ? name : `${name}: ${camelCase(name)}`}`).join(', ')} }`,
        ]
      : []),
    ...(hasBody ? ['body'] : []),
    ...(hasQueryArgument ? ['query'] : []),
  ]
  const member = 'member' in reply ? `'${reply.member}', ` : ''
  const call = `this.${senders[reply.kind]}(operations.${operation}, ${member}{ ${args.join(', ')} })`
  return `${comment.replace(/^/gm, '  ').replace(/ +$/, '')}  ${method}(${parameters.join(', ')}) {\n    return ${call}\n  }\n`
}

/** Without the addresses for signed messages of other systems, and for agents, which have clients of their own. */
function describeOperations(document: OpenApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => !tags.some((tag) => ['webhooks', 'agents'].includes(tag)))
      .map(([method, operation]) => describeOperation(document, method.toUpperCase(), path, operation)),
  )
}

function describeOperation(
  { components }: OpenApiDocument,
  httpMethod: string,
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
    comment: commentOf(summary, description),
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    hasBody: requestBody !== undefined,
    hasQuery: query.length > 0,
    requiresQuery: query.some(({ required }) => required),
    reply: isWhole ? { kind: 'whole' } : reply,
  }
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

const camelCase = (text: string) => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const commentOf = (summary: string, description?: string) => {
  const text = [summary, ...(description ? ['', ...wrap(description)] : [])]
  return `/**\n${text.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`.replaceAll(
    /\*\/(?!\n)/g,
    '*\\/',
  )
}

const wrap = (text: string): string[] =>
  text.split(' ').reduce<string[]>((lines, word) => {
    const last = lines.at(-1)
    return last === undefined || last.length + word.length > 110
      ? [...lines, word]
      : [...lines.slice(0, -1), `${last} ${word}`]
  }, [])

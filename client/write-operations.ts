import { describeOperations, type DescribedOperation, type OpenApiDocument } from './describe-operations.ts'
import { capitalize } from './operation-names.ts'

/** Writes the modules of the operations and of the resources. */

const header = '// This file is generated from openapi.json: run npm run generate -w client\n'
const contract = `import type * as contract from './types.gen.ts'\n`

/** A constant for each operation, so that a bundle contains only those that it uses. */
export function operationsModule(document: OpenApiDocument): string {
  const constants = describeOperations(document).map(
    ({ operation, typeName, httpMethod, path, summary, description }) =>
      `${commentOf(summary, description)}export const ${operation}: Operation<contract.${typeName}Data, contract.${typeName}Response> = ` +
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

function methodOf({ method, operation, typeName, ...rest }: DescribedOperation): string {
  const { pathParameters, query, reply, summary, description } = rest
  const hasBody = rest.body !== null
  const hasQuery = query.length > 0
  const requiresQuery = query.some(({ required }) => required)
  const comment = commentOf(summary, description)
  const data = `contract.${typeName}Data`
  const hasQueryArgument = hasQuery && !hasBody
  const parameters = [
    ...pathParameters.map((name) => `${camelCase(name)}: string`),
    ...(hasBody ? [`body: ${data}['body']`] : []),
    ...(hasQueryArgument ? [`query: Query<${data}>${requiresQuery ? '' : ' = {}'}`] : []),
    `options: ${reply.kind === 'stream' ? 'StreamOptions' : 'RequestOptions'}${hasQuery && hasBody ? ` & { query${requiresQuery ? '' : '?'}: Query<${data}> }` : ''}${requiresQuery && hasBody ? '' : ' = {}'}`,
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

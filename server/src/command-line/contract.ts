/** The operations of the API, as the contract of this version describes them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  describeOperations,
  type DescribedOperation,
  type OpenApiDocument,
  type Schema,
} from '../../../client/describe-operations.ts'

export interface Contract {
  readonly operations: readonly DescribedOperation[]
  /** The schema without references at its top. */
  resolve(schema: Schema | undefined): Schema
}

export function readContract(root: string): Contract {
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as OpenApiDocument
  const { schemas } = document.components
  const resolve = (schema: Schema | undefined): Schema => {
    if (schema?.$ref) return resolve(schemas[schema.$ref.split('/').at(-1)!])
    const [part, ...others] = schema?.allOf ?? []
    return part && others.length === 0 ? { ...schema, ...resolve(part) } : (schema ?? {})
  }
  return { operations: describeOperations(document), resolve }
}

/** The operation of an address, if the contract has it. */
export function findOperation(
  { operations }: Contract,
  method: string,
  path: string,
): DescribedOperation | undefined {
  const [pathname = ''] = path.split('?')
  return operations.find(
    (operation) =>
      operation.httpMethod === method &&
      new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
}

/** The schema of a member of the body, which may be nested: `address.city`. */
export function schemaOfField({ resolve }: Contract, operation: DescribedOperation, field: string): Schema {
  return field
    .split('.')
    .reduce((schema, name) => resolve(schema.properties?.[name]), resolve(operation.body?.schema))
}

// npm run generate -w client: writes the types and the operations of openapi.json to src/contract.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import type { OpenApiDocument } from './describe-operations.ts'
import { operationsModule, resourcesModule } from './write-operations.ts'

const documentUrl = new URL('../openapi.json', import.meta.url)

/** Writes `types.gen.ts`, `operations.gen.ts` and `resources.gen.ts`. */
export async function generate(folder: string): Promise<void> {
  const document = JSON.parse(await readFile(documentUrl, 'utf8')) as OpenApiDocument
  await createClient({
    input: withMoreTypes(document) as never,
    output: { path: folder, entryFile: false },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  })
  await writeFile(join(folder, 'operations.gen.ts'), operationsModule(document))
  await writeFile(join(folder, 'resources.gen.ts'), resourcesModule(document))
}

/**
 * Adds types that the document has no schema for: OpenAPI 3.0 has no webhooks, and states the members of a problem and the
 * permission by operation.
 */
function withMoreTypes(document: OpenApiDocument): object {
  const { schemas } = document.components
  const bodies = Object.values(document['x-webhooks']).map(
    ({ post }) => post.requestBody.content['application/json'].schema,
  )
  const members = Object.keys(schemas).filter((name) => name.endsWith('Members'))
  const permissions = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .map((operation) => operation['x-permission'])
    .filter((permission) => permission.includes(':'))
  const more = {
    Permission: {
      description: 'What an operation needs.',
      type: 'string',
      enum: [...new Set(permissions)].sort(),
    },
    WebhookEvent: { description: 'The body of a webhook.', oneOf: bodies },
    ProblemMembers: {
      description: 'What only some kinds of problems have.',
      allOf: members.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    },
  }
  return { ...document, components: { ...document.components, schemas: { ...schemas, ...more } } }
}

if (import.meta.main) await generate(join(import.meta.dirname, 'src/contract'))

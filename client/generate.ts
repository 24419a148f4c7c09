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
 * permission by operation. An event of the feed has the data of its type, as its webhook has.
 */
function withMoreTypes(document: OpenApiDocument): object {
  const { schemas } = document.components
  const bodies = Object.entries(document['x-webhooks']).map(([type, { post }]) => {
    const body = post.requestBody.content['application/json'].schema
    return { type, body, typeAndData: body.allOf?.[1] }
  })
  const events = bodies
    .filter(({ type }) => type !== 'webhook.test')
    .map(({ typeAndData }) => ({ allOf: [{ $ref: '#/components/schemas/EventMembers' }, typeAndData] }))
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
    EventMembers: { ...schemas['Event'], title: 'EventMembers', description: 'What all events have.' },
    Event: { title: 'Event', description: schemas['Event']?.description, oneOf: events },
    WebhookEvent: { description: 'The body of a webhook.', oneOf: bodies.map(({ body }) => body) },
    ProblemMembers: {
      description: 'What only some kinds of problems have.',
      allOf: members.map((name) => ({ $ref: `#/components/schemas/${name}` })),
    },
  }
  return { ...document, components: { ...document.components, schemas: { ...schemas, ...more } } }
}

if (import.meta.main) await generate(join(import.meta.dirname, 'src/contract'))

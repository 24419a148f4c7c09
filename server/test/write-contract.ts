import { writeFileSync } from 'node:fs'
import { buildOpenApiDocument } from './openapi-document.ts'

/** Members above this level have their own lines, so that diffs are readable. There is no indent: the file is small. */
const expandedLevels = 4

function linesOf(value: unknown, level = 0): string {
  if (typeof value !== 'object' || value === null || level === expandedLevels) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Array.isArray(value)
    ? value.map((member) => linesOf(member, level + 1))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${linesOf(member, level + 1)}`)
  return members.length === 0 ? `${open}${close}` : `${open}\n${members.join(',\n')}\n${close}`
}

// npm run contract: writes openapi.json from the routes.
const document = JSON.parse(JSON.stringify(await buildOpenApiDocument())) as object
writeFileSync(new URL('../../openapi.json', import.meta.url), `${linesOf(document)}\n`)

import { readFileSync, writeFileSync } from 'node:fs'
import { permissionsPage, withSettings } from './docs.ts'

// npm run docs: writes the generated parts of docs/.
const docs = new URL('../../docs/', import.meta.url)
const operations = new URL('operations.md', docs)
writeFileSync(new URL('permissions.md', docs), permissionsPage())
writeFileSync(operations, withSettings(readFileSync(operations, 'utf8')))

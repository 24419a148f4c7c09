import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The committed contract; a test holds it equal to the routes. */
export const readContract = (root: string) => readFileSync(join(root, 'openapi.json'), 'utf8')

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const version = (root: string) =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

import { writeFileSync } from 'node:fs'
import { contractOf } from '#contract.ts'

// npm run contract: writes openapi.json from the routes.
const file = new URL('../../openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(await contractOf(), null, 2)}\n`)

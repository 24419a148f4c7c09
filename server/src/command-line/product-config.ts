import { readConfig } from '#config/config.ts'
import { environmentOf } from './product.ts'

/** In a file of its own, because the settings take longer to load than most commands take. */
export const configOf = (context: Parameters<typeof environmentOf>[0]) => readConfig(environmentOf(context))

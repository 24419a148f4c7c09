import { Type } from 'typebox'
import { Timestamp, oneOf, text } from '#fields.ts'

const healthWords = ['healthy', 'degraded', 'unhealthy'] as const
export type HealthWord = (typeof healthWords)[number]
const Word = oneOf(...healthWords)

/** How the service and the parts behind it are. The answer is 200 whatever it says. */
export const Health = Type.Object(
  {
    status: Word,
    timestamp: Timestamp,
    version: text(64),
    uptime: Type.Number({ minimum: 0, maximum: 1e12, description: 'Seconds since the process began.' }),
    checks: Type.Object({ database: Word, redis: Word, payments: Word, pms: Word }),
  },
  { title: 'Health' },
)

/** Each part answers whether it works. One that is not configured cannot fail. */
export interface Checks {
  database(): Promise<boolean>
  redis(): Promise<boolean>
  payments(): Promise<boolean>
  pms(): Promise<boolean>
}

/** A part that takes longer than two seconds counts as away. */
export async function wordOf(check: () => Promise<boolean>): Promise<HealthWord> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false).unref())
  return (await Promise.race([check().catch(() => false), late])) ? 'healthy' : 'unhealthy'
}

/** Without the database nothing works; without another part something is missing. */
export function overall(checks: Record<keyof Checks, HealthWord>): HealthWord {
  if (checks.database === 'unhealthy') return 'unhealthy'
  return Object.values(checks).includes('unhealthy') ? 'degraded' : 'healthy'
}

import { Type } from 'typebox'
import { Timestamp, oneOf, text } from '#fields.ts'

const healthWords = ['healthy', 'degraded', 'unhealthy'] as const
export type HealthWord = (typeof healthWords)[number]
const Word = oneOf(...healthWords)
const describedWord = (description: string) => Type.Unsafe<HealthWord>({ ...Word, description })

/** How the service and the parts behind it are. The answer is 200 whatever it says. */
export const Health = Type.Object(
  {
    status: Word,
    timestamp: Timestamp,
    version: text(64),
    uptime: Type.Number({ minimum: 0, maximum: 1e12, description: 'Seconds since the process began.' }),
    checks: Type.Object({
      database: describedWord('`degraded` while it answers and takes no change, because it is read-only.'),
      ...{ redis: Word, payments: Word, pms: Word },
      notifications: describedWord(
        'Whether this process hears what the others commit. Without it streams and sign-outs are late.',
      ),
      disk: describedWord(
        'Whether the disk of the database and the disk of this process have room. What needs more is refused.',
      ),
      queue: describedWord(
        'Whether workers take jobs in time. While it is `unhealthy`, changes wait that should be at a PMS by now.',
      ),
    }),
  },
  { title: 'Health' },
)

/** Each part answers how it is. One that is not configured cannot fail. */
export interface Checks {
  database(): Promise<boolean | HealthWord>
  redis(): Promise<boolean>
  payments(): Promise<boolean>
  pms(): Promise<boolean>
  notifications(): Promise<boolean>
  disk(): Promise<boolean>
  queue(): Promise<boolean>
}

/** A part that takes longer than two seconds counts as away. */
export async function wordOf(check: () => Promise<boolean | HealthWord>): Promise<HealthWord> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, 2_000, false).unref())
  const found = await Promise.race([check().catch(() => false), late])
  return typeof found === 'string' ? found : found ? 'healthy' : 'unhealthy'
}

/** Without the database nothing works; without another part something is missing. */
export function overall(checks: Record<keyof Checks, HealthWord>): HealthWord {
  if (checks.database === 'unhealthy') return 'unhealthy'
  return Object.values(checks).some((word) => word !== 'healthy') ? 'degraded' : 'healthy'
}

import { Type } from 'typebox'
import { nullable, text, Timestamp } from '#schema/fields.ts'
import { limitsFor, tierOf, windowMs, type Limit } from '#http/rate-limit-table.ts'
import type { Routes } from '#http/routes.ts'

interface Counters {
  read(limits: readonly Limit[]): Promise<{ remaining: number; endsAt: Date }[]>
}

const number = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000, format: 'int32', description })

const RequestCount = Type.Object(
  {
    max: number('Allowed in a window.'),
    remaining: nullable(number('Null while requests are not counted.')),
    resets_at: nullable(Timestamp),
  },
  { title: 'RequestCount' },
)

const RateLimits = Type.Object(
  {
    tier: text(32, 'free, paid or enterprise.'),
    window_seconds: number('Length of a window.'),
    budget: RequestCount,
    operations: Type.Array(
      Type.Object({
        operation: text(128, 'Method and path.'),
        limit: text(64, 'The kind of limit.'),
        cost: number('What it takes from the budget.'),
        requests: RequestCount,
      }),
      { maxItems: 500, description: 'Those that the caller may use.' },
    ),
  },
  { title: 'RateLimits' },
)

/** `counters` is null where a gateway limits requests. */
export const rateLimitRoutes =
  (counters: Counters | null): Routes =>
  async (app) => {
    app.get(
      '/rate-limits',
      {
        schema: {
          tags: ['session'],
          summary: 'Read the rate limits, and what is left of them',
          description:
            'The sum of the costs of all requests must stay within the budget of the organization, and each operation has a limit. Reading them takes nothing from the budget.',
          response: { 200: Type.Object({ rate_limits: RateLimits }) },
        },
      },
      async ({ caller }) => {
        const { budget, operations } = limitsFor(caller)
        const limits = [budget, ...operations.map(({ limit }) => limit)]
        const left = await counters?.read(limits.map((limit) => ({ ...limit, cost: 1 }))).catch(() => null)
        const [budgetCounts, ...operationCounts] = limits.map((limit, at) => countsOf(limit, left?.[at]))
        return {
          rate_limits: {
            tier: tierOf(caller.tier),
            window_seconds: windowMs / 1_000,
            budget: budgetCounts!,
            operations: operations.map(({ operation, cost, limit }, at) => ({
              operation: operation.replace(/:(\w+)/g, '{$1}'),
              limit: limit.name,
              cost,
              requests: operationCounts[at]!,
            })),
          },
        }
      },
    )
  }

function countsOf({ max, burst }: Limit, left: { remaining: number; endsAt: Date } | undefined) {
  const all = max + (burst ?? 0)
  const isCounting = left !== undefined && left.remaining < all
  return {
    max: all,
    remaining: left?.remaining ?? null,
    resets_at: isCounting ? left.endsAt.toISOString() : null,
  }
}

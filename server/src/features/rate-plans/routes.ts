import { Type } from 'typebox'
import { Id, oneOf, text } from '#fields.ts'
import { refuseForeignIdentity, withoutEchoes } from '#http/echoes.ts'
import { once } from '#http/idempotency.ts'
import { anyOf, pageRequest, PageQuery, sortable } from '#http/paging.ts'
import { changes, created, creates, list, lists, removes, show, shows } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { addRatePlan, changeRatePlan, findRatePlan, listRatePlans, removeRatePlan } from './queries.ts'
import { completePlan, planStatuses, RatePlan, RatePlanInput, RatePlanPatch } from './rate-plan.ts'

const tag = 'rate plans'
const query = {
  ...PageQuery,
  sort: sortable('created_at', 'updated_at', 'name', 'status'),
  q: Type.Optional(text(255, 'Part of the name.')),
  account_id: anyOf(Id),
  unit_id: anyOf(Id),
  status: anyOf(oneOf(...planStatuses)),
}

export const ratePlanRoutes =
  (cursorKey: Buffer): Routes =>
  async (app) => {
    app.get('/rate-plans', { schema: lists(tag, 'rate_plans', RatePlan, query) }, async (request, reply) => {
      const page = pageRequest(request, cursorKey)
      const rows = await listRatePlans(request.scope, request.query, page)
      return list(request, reply, 'rate_plans', page, rows, ({ json }) => json)
    })

    app.get('/rate-plans/:id', { schema: shows(tag, 'rate_plan', RatePlan) }, async (request, reply) =>
      show(request, reply, 'rate_plan', await findRatePlan(request.scope, request.params.id)),
    )

    app.post(
      '/rate-plans',
      { schema: creates(tag, 'rate_plan', RatePlan, RatePlanInput) },
      (request, reply) =>
        once(request, reply, async (scope) => {
          refuseForeignIdentity(scope, request.body)
          const plan = await addRatePlan(scope, request.body)
          return created('rate_plan', '/api/v1/rate-plans', plan.id, plan)
        }),
    )

    app.put(
      '/rate-plans/:id',
      { schema: changes(tag, 'rate_plan', RatePlan, RatePlanInput) },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const plan = await changeRatePlan(scope, params.id, headers['if-match'], (current) =>
          completePlan(body, current),
        )
        return show(request, reply, 'rate_plan', plan)
      },
    )

    app.patch(
      '/rate-plans/:id',
      { schema: changes(tag, 'rate_plan', RatePlan, RatePlanPatch, 'Change parts of a rate plan') },
      async (request, reply) => {
        const { scope, params, body, headers } = request
        refuseForeignIdentity(scope, body, params.id)
        const patch = withoutEchoes(body)
        const plan = await changeRatePlan(scope, params.id, headers['if-match'], (current) => ({
          ...current,
          ...patch,
        }))
        return show(request, reply, 'rate_plan', plan)
      },
    )

    app.delete('/rate-plans/:id', { schema: removes(tag, 'rate_plan') }, async (request, reply) => {
      await removeRatePlan(request.scope, request.params.id, request.headers['if-match'])
      return reply.code(204).send()
    })
  }

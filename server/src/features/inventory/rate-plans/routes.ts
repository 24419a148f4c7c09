import { Type } from 'typebox'
import { Id, oneOf, text } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { createRatePlan, updateRatePlan, findRatePlan, listRatePlans, deleteRatePlan } from './queries.ts'
import { withPlanDefaults, planStatuses, RatePlan, RatePlanInput, RatePlanPatch } from './rate-plan.ts'

export const ratePlanRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) =>
    registerResource(app, cursorKeys, {
      path: '/rate-plans',
      name: 'rate_plan',
      record: RatePlan,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at', 'name', 'status'),
        q: Type.Optional(text(255, 'Part of the name.')),
        account_id: anyOf(Id),
        unit_id: anyOf(Id),
        status: anyOf(oneOf(...planStatuses)),
      },
      input: RatePlanInput,
      patch: RatePlanPatch,
      list: listRatePlans,
      find: findRatePlan,
      create: createRatePlan,
      replace: (scope, id, expected, input) =>
        updateRatePlan(scope, id, expected, (current) => withPlanDefaults(input, current)),
      update: (scope, id, expected, patch) =>
        updateRatePlan(scope, id, expected, (current) => ({ ...current, ...patch })),
      delete: deleteRatePlan,
    })

import { Type } from 'typebox'
import { Id, oneOf, text } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { createCharge, updateCharge, findCharge, listCharges, deleteCharge } from './queries.ts'
import {
  assertOnePlace,
  Charge,
  ChargeInput,
  chargeKinds,
  ChargePatch,
  chargeStatuses,
  withChargeDefaults,
} from './charge.ts'

export const chargeRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) =>
    registerResource(app, cursorKeys, {
      path: '/charges',
      name: 'charge',
      record: Charge,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at', 'name', 'status'),
        q: Type.Optional(text(255, 'Part of the name.')),
        account_id: anyOf(Id),
        space_id: anyOf(Id),
        unit_id: anyOf(Id),
        kind: anyOf(oneOf(...chargeKinds)),
        status: anyOf(oneOf(...chargeStatuses)),
      },
      input: ChargeInput,
      patch: ChargePatch,
      list: listCharges,
      find: findCharge,
      create: createCharge,
      replace: (scope, id, expected, input) =>
        updateCharge(scope, id, expected, (current) => {
          assertOnePlace(input)
          return withChargeDefaults(input, current)
        }),
      update: (scope, id, expected, patch) =>
        updateCharge(scope, id, expected, (current) => ({ ...current, ...patch })),
      delete: deleteCharge,
    })

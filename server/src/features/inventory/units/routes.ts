import { Type } from 'typebox'
import { Id, oneOf, text } from '#schema/fields.ts'
import { anyOf, PageQuery, sortable, type CursorKeys } from '#http/paging.ts'
import { registerResource } from '#http/resource.ts'
import type { Routes } from '#http/routes.ts'
import { findUnit, listUnits } from './queries.ts'
import { createUnit, deleteUnit, replaceUnit, updateUnit } from './save-unit.ts'
import { patchUnit, Unit, UnitInput, UnitPatch, unitStatuses, unitTypes } from './unit.ts'

export const unitRoutes =
  (cursorKeys: CursorKeys): Routes =>
  async (app) =>
    registerResource(app, cursorKeys, {
      path: '/units',
      name: 'unit',
      record: Unit,
      query: {
        ...PageQuery,
        sort: sortable('created_at', 'updated_at', 'name', 'status'),
        q: Type.Optional(text(255, 'Part of the name.')),
        id: anyOf(Id),
        account_id: anyOf(Id),
        status: anyOf(oneOf(...unitStatuses)),
        space_id: anyOf(Id),
        type: anyOf(oneOf(...unitTypes)),
      },
      input: UnitInput,
      patch: UnitPatch,
      list: listUnits,
      find: findUnit,
      create: createUnit,
      replace: replaceUnit,
      update: (scope, id, expected, patch) =>
        updateUnit(scope, id, expected, (current) => patchUnit(current, patch)),
      delete: deleteUnit,
    })

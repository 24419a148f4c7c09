import { Type } from 'typebox'
import { Id } from '#schema/fields.ts'
import { BulkChange, bulkChangeBody, maxBulkRecords } from '#http/bulk-results.ts'
import { jsonText } from '#http/replies.ts'
import type { Routes } from '#http/routes.ts'
import { updateUnits } from './bulk-units.ts'
import { UnitPatch } from './unit.ts'

const readOnly = ['id', 'org_id', 'created_at', 'updated_at', 'space'] as const

const BulkUnitsInput = Type.Object(
  {
    unit_ids: Type.Array(Id, {
      minItems: 1,
      maxItems: maxBulkRecords,
      uniqueItems: true,
      description: 'The units.',
    }),
    changes: Type.Object(Type.Omit(UnitPatch, [...readOnly]).properties, {
      additionalProperties: false,
      minProperties: 1,
      description: 'What each of them gets.',
    }),
  },
  {
    title: 'BulkUnitsInput',
    additionalProperties: false,
    example: {
      unit_ids: ['f3f1a6d0-4c5f-4a0e-9a55-0d1a2c3b4e5f'],
      changes: { base_price_cents: 13_900 },
    },
  },
)

export const bulkUnitRoutes: Routes = async (app) => {
  app.patch(
    '/units',
    {
      schema: {
        tags: ['units'],
        summary: 'Change parts of many units',
        description:
          'Each unit is changed by the rules of a single change. One that is refused stays as it is, with its problem in `results`; the others change all the same.',
        body: BulkUnitsInput,
        response: { 200: jsonText(BulkChange) },
      },
    },
    async ({ scope, body }, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .send(bulkChangeBody(await updateUnits(scope, body.unit_ids, body.changes))),
  )
}

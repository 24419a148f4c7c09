import { randomUUID } from 'node:crypto'
import { sql } from '#db/sql.ts'
import {
  atomically,
  first,
  rows,
  violates,
  writeWithCommit,
  type Scope,
  type Transaction,
} from '#db/scope.ts'
import { assertVersion, type ExpectedVersion, type StoredRecord } from '#db/records.ts'
import { NotFound, semanticError, unknownReference } from '#errors.ts'
import type { RecordEvent } from '#features/messaging/events/event.ts'
import { recordEvents } from '#features/messaging/events/record-events.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import { assertNoAmounts, setChargeCurrency } from '#features/inventory/charges/queries.ts'
import { moveMedia } from '#features/inventory/media/queries.ts'
import { insertDefaultPlan, setPlanCurrency } from '#features/inventory/rate-plans/queries.ts'
import { planCreated } from '#features/inventory/rate-plans/record-plan-events.ts'
import { deleteUnits } from '#features/inventory/unit-deletion/delete-units.ts'
import { assertNightsReachMinimum, assertNoPrices, reduceRooms } from './check-nights.ts'
import {
  affectsNights,
  assertChangeAllowed,
  assertMinimumReached,
  withUnitDefaults,
  type UnitFields,
  type UnitInput,
  formatUnit,
  type UnitRow,
} from './unit.ts'

/** @throws Invalid */
export async function createUnit(scope: Scope, input: UnitInput): Promise<StoredRecord & { id: string }> {
  const unit = withUnitDefaults(input, { account_id: null, currency: null })
  if (unit.min_price_cents !== null && unit.base_price_cents < unit.min_price_cents)
    await atomically(scope, async (transaction) =>
      assertMinimumReached(withUnitDefaults(input, await lockSpace(transaction, input.space_id))),
    )
  const [id, planId] = [randomUUID(), randomUUID()]
  // Without the space, its columns are null, which those of the unit must not be.
  const insert = sql<UnitRow>`
    with unit as (
      insert into units (org_id, id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, quantity,
        base_price_cents, min_price_cents, currency, status)
      select ${scope.orgId}, ${id}::uuid, coalesce(${unit.account_id}::uuid, space.account_id), space.id, ${unit.name},
        ${unit.type}, ${unit.bedrooms}, ${unit.bathrooms}, ${unit.max_guests}, ${unit.quantity},
        ${unit.base_price_cents}, ${unit.min_price_cents}, coalesce(${unit.currency}, space.currency), ${unit.status}
      from (select) one
      left join (
        select id, account_id, currency
        from spaces
        where org_id = ${scope.orgId} and id = ${unit.space_id} and deleted_at is null
        for key share
      ) space on true
      returning *
    ),
    plan as (${insertDefaultPlan(planId)})
    select unit.json, space.json as space, unit.version
    from unit
    join spaces space on space.org_id = unit.org_id and space.id = unit.space_id`
  try {
    const [row] = await writeWithCommit(scope, insert, (transaction) =>
      recordEvents(transaction, [
        unitEvent(transaction, 'unit.created', id),
        planCreated(transaction, planId),
      ]),
    )
    return { id, ...toRecord(row!) }
  } catch (error) {
    if (violates(error, '23502', 'units')) throw unknownReference('space_id', 'space')
    throw violates(error, '23503', 'units') ? otherAccount() : error
  }
}

/** Replaces all fields. @throws NotFound, PreconditionFailed, Conflict, Invalid */
export const replaceUnit = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  input: UnitInput,
): Promise<StoredRecord> =>
  updateUnit(scope, id, expected, async (_, transaction) =>
    withUnitDefaults(input, await lockSpace(transaction, input.space_id)),
  )

/** Changes the fields to what `edit` returns, and requests a sync. @throws NotFound, PreconditionFailed, Conflict, Invalid */
export const updateUnit = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  edit: (current: UnitFields, transaction: Transaction) => UnitFields | Promise<UnitFields>,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const { fields, ...current } = await lockUnit(transaction, id)
    assertVersion(expected, current.version)
    const next = await edit(fields, transaction)
    assertChangeAllowed(fields, next)
    assertMinimumReached(next)
    if (JSON.stringify(fields) === JSON.stringify(next)) return current
    const isMoved = next.space_id !== fields.space_id
    const hasNewCurrency = next.currency !== fields.currency
    if (isMoved || next.account_id !== fields.account_id)
      assertAccountOfSpace(next.account_id, (await lockSpace(transaction, next.space_id)).account_id)
    if (hasNewCurrency) {
      await assertNoPrices(transaction, id, fields.currency)
      await assertNoAmounts(transaction, 'unit_id', id)
    }
    if ((next.min_price_cents ?? 0) > (fields.min_price_cents ?? 0))
      await assertNightsReachMinimum(transaction, id, next.min_price_cents!, next.currency)
    if (next.quantity < fields.quantity) await reduceRooms(transaction, id, next.quantity)
    const nights = affectsNights(fields, next) ? ({ nights: 'all' } as const) : {}
    const [changed] = await Promise.all([
      rows(
        transaction,
        sql<UnitRow>`
          with unit as (
            update units
            set account_id = ${next.account_id}, space_id = ${next.space_id}, name = ${next.name},
              type = ${next.type}, bedrooms = ${next.bedrooms}, bathrooms = ${next.bathrooms},
              max_guests = ${next.max_guests}, quantity = ${next.quantity},
              base_price_cents = ${next.base_price_cents}, min_price_cents = ${next.min_price_cents},
              currency = ${next.currency}, status = ${next.status}, version = version + 1, updated_at = now()
            where org_id = ${scope.orgId} and id = ${id}
            returning *)
          select unit.json, space.json as space, unit.version
          from unit
          join spaces space on space.org_id = unit.org_id and space.id = unit.space_id`,
      ),
      hasNewCurrency && setPlanCurrency(transaction, id, next.currency),
      hasNewCurrency && setChargeCurrency(transaction, 'unit_id', id, next.currency),
      isMoved && moveMedia(transaction, id, next.space_id, next.account_id),
      // Equal amounts of another currency may be another number at the PMS, so what it accepted is not comparable.
      requestSync(transaction, { unitId: id, ...nights }, 'change', hasNewCurrency ? 'full' : 'delta'),
    ])
    await recordEvents(transaction, [unitEvent(transaction, 'unit.updated', id)])
    return toRecord(changed[0]!)
  })

/** Past bookings stay readable. @throws NotFound, PreconditionFailed, Conflict */
export const deleteUnit = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const unit = await lockUnit(transaction, id)
    assertVersion(expected, unit.version)
    await deleteUnits(transaction, [id], 'unit')
  })

const unitEvent = (
  { orgId }: Transaction,
  type: 'unit.created' | 'unit.updated',
  id: string,
): RecordEvent => ({
  type,
  subjectId: id,
  record: sql`
    select unit.account_id,
      json_build_object('unit', (left(unit.json, -1) || ',"space":' || space.json || '}')::json) as data
    from units unit
    join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
    where unit.org_id = ${orgId} and unit.id = ${id}`,
})

const toRecord = (row: UnitRow): StoredRecord => ({ json: formatUnit(row), version: row.version })

async function lockUnit(
  transaction: Transaction,
  id: string,
): Promise<StoredRecord & { fields: UnitFields }> {
  // The lock is a statement of its own: a join that waits for a lock misses a unit that has moved to another space.
  const locked = rows(
    transaction,
    sql`select 1 from units where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  const read = first(
    transaction,
    sql<UnitRow & { fields: UnitFields }>`
      select unit.version, unit.json, space.json as space,
        json_build_object('space_id', unit.space_id, 'name', unit.name, 'type', unit.type, 'bedrooms', unit.bedrooms,
          'bathrooms', unit.bathrooms, 'max_guests', unit.max_guests, 'base_price_cents', unit.base_price_cents,
          'min_price_cents', unit.min_price_cents, 'quantity', unit.quantity, 'currency', unit.currency,
          'status', unit.status, 'account_id', unit.account_id) as fields
      from units unit
      join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
      where unit.org_id = ${transaction.orgId}
        and unit.id = ${id}
        and unit.deleted_at is null`,
  )
  const [, row] = await Promise.all([locked, read])
  if (!row) throw new NotFound('unit', id)
  return { ...toRecord(row), fields: row.fields }
}

/** Locks the space of a unit against deletion. @throws Invalid */
async function lockSpace(transaction: Transaction, id: string) {
  const space = await first(
    transaction,
    sql<{ account_id: string; currency: string }>`
      select account_id, currency
      from spaces
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null
      for key share`,
  )
  if (!space) throw unknownReference('space_id', 'space')
  return space
}

function assertAccountOfSpace(accountId: string, spaceAccountId: string): void {
  if (accountId !== spaceAccountId) throw otherAccount()
}

const otherAccount = () => semanticError('account_id', 'account_id must be the account of the space.')

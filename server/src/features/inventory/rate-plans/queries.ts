import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, unknownReference } from '#errors.ts'
import { buildPageQuery, sortColumn, type PageRequest } from '#db/paging.ts'
import { assertVersion, type ExpectedVersion, type ListedRecord, type StoredRecord } from '#db/records.ts'
import { requestSync } from '#features/distribution/sync/schedule/request-sync.ts'
import {
  withPlanDefaults,
  assertChangeAllowed,
  assertSameUnit,
  type RatePlanFields,
  type RatePlanInput,
} from './rate-plan.ts'
import { listColumns } from './list-columns.ts'
import { recordPlanEvents } from './record-plan-events.ts'

const recordColumns = sql`json, version`
/** Plans of deleted units are kept for their bookings, but are not listed. In a join, all units would be read. */
const hasUnit = sql`exists (
  select 1 from units unit
  where unit.org_id = plan.org_id and unit.id = plan.unit_id and unit.deleted_at is null
  offset 0)`

export const listRatePlans = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    buildPageQuery(
      'plan',
      filter,
      listColumns,
      page,
      (where) => sql<ListedRecord>`
        select plan.id, plan.json, ${sortColumn('plan', page)} as sort_value
        from rate_plans plan
        where plan.org_id = ${scope.orgId}
          and ${hasUnit}${where}`,
    ),
  )

export async function findRatePlan(scope: Scope, id: string): Promise<StoredRecord> {
  const found = await first(
    scope,
    sql<StoredRecord>`
      select ${recordColumns}
      from rate_plans plan
      where org_id = ${scope.orgId} and id = ${id} and ${hasUnit}`,
  )
  if (!found) throw new NotFound('rate plan', id)
  return found
}

export const listPlansOfUnits = (transaction: Transaction, unitIds: readonly string[]) =>
  rows(
    transaction,
    sql<StoredRecord>`
      select ${recordColumns}
      from rate_plans
      where org_id = ${transaction.orgId} and unit_id = any(${unitIds}::uuid[])
      order by created_at, id`,
  )

/** Inserts the default plan of the row `unit`. Every unit has exactly one, which is created with the unit. */
export const insertDefaultPlan = (id: string) => sql`
  insert into rate_plans (org_id, id, account_id, unit_id, name, currency, is_default, created_at, updated_at)
  select org_id, ${id}::uuid, account_id, unit.id, 'Standard', currency, true, created_at, created_at
  from unit`

/** Plans are priced in the currency of their unit. */
export const setPlanCurrency = async (transaction: Transaction, unitId: string, currency: string) =>
  recordPlanEvents(
    transaction,
    'rate_plan.updated',
    await rows(
      transaction,
      sql<StoredRecord>`
        update rate_plans
        set currency = ${currency}, version = version + 1, updated_at = now()
        where org_id = ${transaction.orgId} and unit_id = ${unitId}
        returning ${recordColumns}`,
    ),
  )

/** @throws Conflict, Invalid */
export const createRatePlan = (scope: Scope, input: RatePlanInput): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const unit = await lockUnit(transaction, input.unit_id)
    if (unit.status === 'archived')
      throw new Conflict('resource-archived', 'The unit is archived. Rate plans cannot be added to it.')
    const plan = withPlanDefaults(input, unit)
    assertSameUnit(plan, unit)
    assertChangeAllowed(null, plan)
    await assertNameIsFree(transaction, plan, null)
    if (plan.is_default) await clearDefault(transaction, unit.id)
    const [row] = await rows(
      transaction,
      sql<StoredRecord & { id: string }>`
        insert into rate_plans (org_id, account_id, unit_id, name, currency, meal_plan, is_default, status)
        values (${scope.orgId}, ${unit.account_id}, ${unit.id}, ${plan.name}, ${plan.currency}, ${plan.meal_plan},
          ${plan.is_default}, ${plan.status})
        returning id, ${recordColumns}`,
    )
    if (plan.is_default) await requestSync(transaction, { unitId: unit.id }, 'change', 'full')
    await recordPlanEvents(transaction, 'rate_plan.created', [row!])
    return row!
  })

/**
 * Changes the fields to what `edit` returns. A plan that becomes the default replaces the previous default.
 * @throws NotFound, PreconditionFailed, Conflict, Invalid
 */
export const updateRatePlan = (
  scope: Scope,
  id: string,
  expected: ExpectedVersion,
  edit: (current: RatePlanFields) => RatePlanFields,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const { fields, unit, ...current } = await lockPlan(transaction, id)
    assertVersion(expected, current.version)
    const next = edit(fields)
    assertSameUnit(next, unit)
    assertChangeAllowed(fields, next)
    if (JSON.stringify(fields) === JSON.stringify(next)) return current
    if (next.name !== fields.name) await assertNameIsFree(transaction, next, id)
    const becomesDefault = next.is_default && !fields.is_default
    if (becomesDefault) await clearDefault(transaction, unit.id)
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`
        update rate_plans
        set name = ${next.name}, meal_plan = ${next.meal_plan}, is_default = ${next.is_default},
          status = ${next.status}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id}
        returning ${recordColumns}`,
    )
    // A PMS room may have the prices of the default plan, so what was sent for the previous default is not comparable.
    if (becomesDefault) await requestSync(transaction, { unitId: unit.id }, 'change', 'full')
    else if (next.status !== fields.status)
      await requestSync(transaction, { unitId: unit.id, nights: 'all' }, 'change')
    await recordPlanEvents(transaction, 'rate_plan.updated', [row!])
    return row!
  })

export const deleteRatePlan = (scope: Scope, id: string, expected: ExpectedVersion): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { fields, ...plan } = await lockPlan(transaction, id)
    assertVersion(expected, plan.version)
    if (fields.is_default)
      throw new Conflict(
        'resource-in-use',
        'This is the default plan of the unit. Make another plan the default first.',
      )
    const linked = await first(
      transaction,
      sql<{ id: string }>`
        select id
        from channel_listings
        where org_id = ${scope.orgId}
          and unit_id = ${fields.unit_id}
          and rate_plans @> ${JSON.stringify([{ rate_plan_id: id }])}::jsonb
        limit 1`,
    )
    if (linked)
      throw new Conflict(
        'resource-in-use',
        `The listing ${linked.id} is linked to this plan. Unlink it first.`,
        { members: { held_by: { listings: [linked.id] } } },
      )
    await rows(transaction, sql`delete from rate_plans where org_id = ${scope.orgId} and id = ${id}`)
    await recordPlanEvents(transaction, 'rate_plan.deleted', [plan])
  })

type UnitOfPlan = Record<'id' | 'account_id' | 'currency' | 'status', string>

/** Changes of a unit's plans run one after the other, because only one of the plans is the default. */
async function lockUnit(transaction: Transaction, id: string): Promise<UnitOfPlan> {
  const unit = await first(
    transaction,
    sql<UnitOfPlan>`
      select id, account_id, currency, status
      from units
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null
      for no key update`,
  )
  if (!unit) throw unknownReference('unit_id', 'unit')
  return unit
}

/** Locks the unit first, as all code does, then the plan. @throws NotFound */
async function lockPlan(transaction: Transaction, id: string) {
  const [units, plans] = await Promise.all([
    rows(
      transaction,
      sql<UnitOfPlan>`
        select id, account_id, currency, status
        from units
        where org_id = ${transaction.orgId}
          and id = (select unit_id from rate_plans where org_id = ${transaction.orgId} and id = ${id})
          and deleted_at is null
        for no key update`,
    ),
    rows(
      transaction,
      sql<StoredRecord & { fields: RatePlanFields }>`
        select ${recordColumns},
          json_build_object('unit_id', unit_id, 'account_id', account_id, 'name', name, 'currency', currency,
            'meal_plan', meal_plan, 'is_default', is_default, 'status', status) as fields
        from rate_plans
        where org_id = ${transaction.orgId} and id = ${id}
        for update`,
    ),
  ])
  const [unit, plan] = [units[0], plans[0]]
  if (!unit || !plan) throw new NotFound('rate plan', id)
  return { ...plan, unit }
}

const clearDefault = async (transaction: Transaction, unitId: string) =>
  recordPlanEvents(
    transaction,
    'rate_plan.updated',
    await rows(
      transaction,
      sql<StoredRecord>`
        update rate_plans
        set is_default = false, version = version + 1, updated_at = now()
        where org_id = ${transaction.orgId} and unit_id = ${unitId} and is_default
        returning ${recordColumns}`,
    ),
  )

async function assertNameIsFree(transaction: Transaction, plan: RatePlanFields, ownId: string | null) {
  const other = await first(
    transaction,
    sql<{ id: string }>`
      select id
      from rate_plans
      where org_id = ${transaction.orgId}
        and unit_id = ${plan.unit_id}
        and lower(name) = lower(${plan.name})
        and id is distinct from ${ownId}::uuid
      limit 1`,
  )
  if (other)
    throw new Conflict('already-exists', `The rate plan ${other.id} of the unit already has this name.`, {
      members: { rate_plan_id: other.id },
    })
}

import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, unknownReference } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import {
  completePlan,
  refuseIllegalChange,
  refuseOtherUnit,
  type RatePlanFields,
  type RatePlanInput,
} from './rate-plan.ts'

const stored = sql`json, version`
const filterColumns = ['org_id', 'account_id', 'unit_id', 'status']
/** Plans of deleted units are kept for the bookings that were made by them. */
const isOfUnit = sql`exists (select 1 from units u where u.org_id = p.org_id and u.id = p.unit_id and u.deleted_at is null)`

export const listRatePlans = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select p.id, p.json, ${sortColumn('p', page)} as sort_value from rate_plans p
      where p.org_id = ${scope.orgId} and ${isOfUnit}${filters('p', filter, filterColumns)}${pageClause('p', page)}`,
  )

export async function findRatePlan(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select ${stored} from rate_plans p where org_id = ${scope.orgId} and id = ${id} and ${isOfUnit}`,
  )
  if (!found) throw new NotFound('rate plan', id)
  return found
}

/** @throws Conflict, Invalid */
export const addRatePlan = (scope: Scope, input: RatePlanInput): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const unit = await lockUnit(transaction, input.unit_id)
    if (unit.status === 'archived')
      throw new Conflict('resource-archived', 'The unit is archived: it gets no new rate plans.')
    const plan = completePlan(input, unit)
    refuseOtherUnit(plan, unit)
    refuseIllegalChange(null, plan)
    await refuseDuplicate(transaction, plan, null)
    if (plan.is_default) await takeDefault(transaction, unit.id)
    const [row] = await rows(
      transaction,
      sql<
        Stored & { id: string }
      >`insert into rate_plans (org_id, account_id, unit_id, name, currency, meal_plan, is_default, status)
        values (${scope.orgId}, ${unit.account_id}, ${unit.id}, ${plan.name}, ${plan.currency}, ${plan.meal_plan},
          ${plan.is_default}, ${plan.status}) returning id, ${stored}`,
    )
    if (plan.is_default) await requestSync(transaction, { unitId: unit.id }, 'change', 'full')
    return row!
  })

/** Changes a plan as `edit` says; one that becomes the default takes that from the other. @throws NotFound, Stale, Conflict, Invalid */
export const changeRatePlan = (
  scope: Scope,
  id: string,
  expected: Expected,
  edit: (current: RatePlanFields) => RatePlanFields,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const { fields, unit, ...current } = await lockPlan(transaction, id)
    refuseStale(expected, current.version)
    const next = edit(fields)
    refuseOtherUnit(next, unit)
    refuseIllegalChange(fields, next)
    if (JSON.stringify(fields) === JSON.stringify(next)) return current
    if (next.name !== fields.name) await refuseDuplicate(transaction, next, id)
    const becomesDefault = next.is_default && !fields.is_default
    if (becomesDefault) await takeDefault(transaction, unit.id)
    const [row] = await rows(
      transaction,
      sql<Stored>`update rate_plans set name = ${next.name}, meal_plan = ${next.meal_plan},
          is_default = ${next.is_default}, status = ${next.status}, version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning ${stored}`,
    )
    // Where the room itself has the terms of the default plan, what it took from another says nothing of this one's.
    if (becomesDefault) await requestSync(transaction, { unitId: unit.id }, 'change', 'full')
    else if (next.status !== fields.status)
      await requestSync(transaction, { unitId: unit.id, nights: 'all' }, 'change')
    return row!
  })

export const removeRatePlan = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    const { fields, version } = await lockPlan(transaction, id)
    refuseStale(expected, version)
    if (fields.is_default)
      throw new Conflict(
        'resource-in-use',
        'The unit sells by this plan: make another one the default first.',
      )
    const linked = await first(
      transaction,
      sql<{ id: string }>`select id from channel_listings where org_id = ${scope.orgId}
          and unit_id = ${fields.unit_id} and rate_plans @> ${JSON.stringify([{ rate_plan_id: id }])}::jsonb limit 1`,
    )
    if (linked)
      throw new Conflict(
        'resource-in-use',
        `The listing ${linked.id} still sells by this plan: unlink it first.`,
        { members: { held_by: { listings: [linked.id] } } },
      )
    await rows(transaction, sql`delete from rate_plans where org_id = ${scope.orgId} and id = ${id}`)
  })

interface PlannedUnit {
  id: string
  account_id: string
  currency: string
  status: string
}

/** One change of a unit's plans at a time: which is the default is decided among all of them. */
async function lockUnit(transaction: Transaction, id: string): Promise<PlannedUnit> {
  const unit = await first(
    transaction,
    sql<PlannedUnit>`select id, account_id, currency, status from units
      where org_id = ${transaction.orgId} and id = ${id} and deleted_at is null for no key update`,
  )
  if (!unit) throw unknownReference('unit_id', 'unit')
  return unit
}

/** The unit first, as everywhere; then the plan as it is once nobody else can change it. */
async function lockPlan(transaction: Transaction, id: string) {
  const [units, plans] = await Promise.all([
    rows(
      transaction,
      sql<PlannedUnit>`select id, account_id, currency, status from units where org_id = ${transaction.orgId}
          and id = (select unit_id from rate_plans where org_id = ${transaction.orgId} and id = ${id})
          and deleted_at is null for no key update`,
    ),
    rows(
      transaction,
      sql<Stored & { fields: RatePlanFields }>`select ${stored},
          json_build_object('unit_id', unit_id, 'account_id', account_id, 'name', name, 'currency', currency,
            'meal_plan', meal_plan, 'is_default', is_default, 'status', status) as fields
        from rate_plans where org_id = ${transaction.orgId} and id = ${id} for update`,
    ),
  ])
  const [unit, plan] = [units[0], plans[0]]
  if (!unit || !plan) throw new NotFound('rate plan', id)
  return { ...plan, unit }
}

const takeDefault = (transaction: Transaction, unitId: string) =>
  rows(
    transaction,
    sql`update rate_plans set is_default = false, version = version + 1, updated_at = now()
      where org_id = ${transaction.orgId} and unit_id = ${unitId} and is_default`,
  )

async function refuseDuplicate(transaction: Transaction, plan: RatePlanFields, self: string | null) {
  const other = await first(
    transaction,
    sql<{
      id: string
    }>`select id from rate_plans where org_id = ${transaction.orgId} and unit_id = ${plan.unit_id}
        and lower(name) = lower(${plan.name}) and id is distinct from ${self}::uuid limit 1`,
  )
  if (other)
    throw new Conflict('already-exists', `The unit has a rate plan of this name already, ${other.id}.`, {
      members: { rate_plan_id: other.id },
    })
}

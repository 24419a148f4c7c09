import { sql } from '#db/sql.ts'
import { atomically, atSavepoint, rows, type Scope } from '#db/scope.ts'
import { DomainError } from '#errors.ts'
import { updateUnit } from './save-unit.ts'
import { patchUnit, type UnitPatch } from './unit.ts'

interface UnitOutcome {
  readonly id: string
  readonly status: string | null
  readonly error: DomainError | null
}

/** Changes each unit by the rules of a single change. One that is refused stays as it is, and the others change. */
export const updateUnits = (
  scope: Scope,
  ids: readonly string[],
  changes: UnitPatch,
): Promise<UnitOutcome[]> =>
  atomically(scope, async (transaction) => {
    // In order, so that two requests for the same units cannot wait for each other.
    await rows(
      transaction,
      sql`
        select 1
        from units
        where org_id = ${scope.orgId} and id = any(${ids}::uuid[])
        order by id
        for update`,
    )
    const outcomes: UnitOutcome[] = []
    for (const id of ids) {
      try {
        const { json } = await atSavepoint(transaction, (inner) =>
          updateUnit(inner, id, undefined, (current) => patchUnit(current, changes)),
        )
        outcomes.push({ id, status: (JSON.parse(json) as { status: string }).status, error: null })
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        outcomes.push({ id, status: null, error })
      }
    }
    return outcomes
  })

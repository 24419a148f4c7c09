import { LRUCache } from 'lru-cache'
import type { Database } from '#db/connect.ts'
import { atomically, type Scope } from '#db/scope.ts'
import { events } from '#telemetry/log.ts'
import type { Claims } from '#integrations/identity/identity.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import { loadMember, type Membership } from './queries.ts'
import { sql } from '#db/sql.ts'
import {
  findInAllOrganizations,
  forEachOrganization,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'

/** The same conflict is reported at most once in this time. */
const minReportIntervalMs = 10 * 60_000

/** Reports a sign-in with the e-mail address of members who belong to other identities. It never throws. */
export type ReportIdentityConflicts = (claims: Claims, conflicting: readonly Membership[]) => Promise<void>

/** Raises an alert in each of the organizations; their owners receive an e-mail. */
export function openIdentityConflictReports(database: Database): ReportIdentityConflicts {
  const reported = new LRUCache<string, true>({ max: 10_000, ttl: minReportIntervalMs })
  return async (claims, taken) => {
    for (const { org_id: orgId, member_id: memberId } of taken) {
      const key = JSON.stringify([memberId, claims.issuer, claims.subject, claims.isEmailVerified])
      if (reported.has(key)) continue
      reported.set(key, true)
      const actor = { type: 'system', id: 'session', name: 'Vacancy' } as const
      const scope = { orgId, accountId: null, actor, traceparent: null, database }
      await report(scope, memberId, claims).catch((error: unknown) => {
        reported.delete(key)
        events.identityConflictNotSaved({ orgId, error })
      })
    }
  }
}

const report = (scope: Scope, memberId: string, claims: Claims): Promise<void> =>
  atomically(scope, async (transaction) => {
    const member = await loadMember(transaction, memberId)
    if (!member) return
    const { issuer, subject, isEmailVerified } = claims
    const name = member.name ? `${member.name} (${member.email})` : member.email
    await raiseAlerts(transaction, [
      {
        account_id: null,
        kind: 'member.identity_conflict',
        message: `Another identity tried to sign in with the e-mail address of ${name}, ${member.role}, and was refused: subject ${subject} at ${issuer}.`,
        hint: `If it is the same person with a new account, give the membership to it: vacancy member add --org ${scope.orgId} --email ${member.email} --role ${member.role} --subject <subject>. If not, have that account closed at the identity provider.`,
        details: { member_id: memberId, issuer, subject, email_verified: isEmailVerified },
        // An unverified address only increments the count of an open alert, so that nobody can cause many e-mails.
        isNewCase: isEmailVerified,
      },
    ])
  })

export const sessionSchedule: readonly PeriodicTask[] = [
  { name: 'resolve-identity-conflicts', intervalMs: 600_000, run: resolveIdentityConflicts },
]

/** Resolves alerts about identity conflicts that have not occurred again for a week. */
export async function resolveIdentityConflicts(context: TaskContext): Promise<void> {
  const organizations = await findInAllOrganizations(
    context,
    sql<{ org_id: string }>`select * from identity_conflicts_to_close(interval '7 days')`,
  )
  await forEachOrganization(context, organizations, (transaction) =>
    resolveAlerts(transaction, 'member.identity_conflict', { isAny: true }),
  )
}

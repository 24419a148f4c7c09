import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listAlerts, listBookingConflicts, listSyncFailures } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useRecords } from '../../components/use-records.ts'
import { useApi } from '../../session/api.tsx'
import type { InboxFilter } from './filter.ts'

export type Conflict = contract.BookingConflict
export type Alert = contract.Alert
export type Failure = contract.SyncFailure

/** Alerts of one kind about one channel are one thing to look at. */
export interface AlertGroup {
  id: string
  alerts: Alert[]
  latest: Alert
}

/** Everything that waits for a person. */
export const useInbox = ({ target }: InboxFilter) => {
  const api = useApi()
  const ofTarget = target ? { channel_target_id: [target] } : {}
  const conflicts = useRecords(listBookingConflicts, { query: { status: ['open'], ...ofTarget } })
  const alerts = useRecords(listAlerts, {
    query: { status: ['open'], standalone: true, limit: 100, ...ofTarget },
  })
  const failures = useQuery({
    queryKey: [listSyncFailures.path, ofTarget],
    queryFn: ({ signal }) => api.send(listSyncFailures, { query: ofTarget, signal }),
  })
  return { conflicts, alerts, failures, groups: alerts.records && groupAlerts(alerts.records) }
}

/** Reads again what may have changed by an action. */
export const useRefreshInbox = () => {
  const queries = useQueryClient()
  return () =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [path] }) =>
        typeof path === 'string' && /booking-conflicts|alerts|sync\/failures|today|calendar/.test(path),
    })
}

const groupAlerts = (alerts: readonly Alert[]): AlertGroup[] =>
  [...Map.groupBy(alerts, groupKey)].map(([id, group]) => ({ id, alerts: group, latest: group[0] as Alert }))

const groupedKinds: readonly Alert['kind'][] = ['listing.stale', 'drift.found']

const groupKey = ({ id, kind, channel_target_id }: Alert) =>
  groupedKinds.includes(kind) ? `${kind} ${channel_target_id ?? ''}` : id

/** Formats sync states for a person. */
import type { SyncStatus, TargetStatus } from './sync-records.ts'
import { table } from './command-context.ts'

type Names = ReadonlyMap<string, string>

export function describeStatus(state: SyncStatus): string {
  return table([
    ['Listing', state.channel_listing_id],
    ['Status', `${state.status}${state.stale ? ', stale' : ''}`],
    ['In sync', inSync(state)],
    ['Last synced', state.last_synced_at ?? 'never'],
    ...(state.attempts > 1 ? [['Attempts', String(state.attempts)]] : []),
    ...(state.next_attempt_at ? [['Next attempt', state.next_attempt_at]] : []),
    ...(state.error_message ? [['Error', `${state.error_code}: ${state.error_message}`]] : []),
    ...state.warnings.map(({ message }) => ['Warning', message]),
  ])
}

function inSync({ in_sync, pending_changes, behind_since, unverified_since }: SyncStatus): string {
  if (in_sync) return 'yes'
  if (pending_changes > 0) return `no, ${pending_changes} changes since ${behind_since ?? 'never'}`
  return `accepted, not verified since ${unverified_since ?? 'never'}`
}

export function describeStatuses(
  targets: readonly TargetStatus[],
  states: readonly SyncStatus[],
  names: Names,
) {
  const parts = [
    ...(targets.length > 0
      ? [
          table([
            ['Target', 'Status', 'Circuit', 'Waiting', 'Failed', 'Paused', 'Stale', 'Calls left', 'Expected'],
            ...targets.map(targetLine),
          ]),
        ]
      : []),
    states.length > 0
      ? table([['Listing', 'Status', 'Behind since', 'Error'], ...states.map((one) => stateLine(one, names))])
      : 'No listing is waiting, failed or stale.',
  ]
  return parts.join('\n\n')
}

const targetLine = ({ name, status, circuit, queue, budgets }: TargetStatus) => [
  name,
  status,
  circuit.state,
  String(queue.waiting + queue.in_progress),
  String(queue.failed),
  String(queue.paused),
  String(queue.stale),
  budgets.map(({ kind, remaining, limit }) => `${kind} ${remaining}/${limit}`).join(', ') || 'no limit',
  queue.expected_at ?? '',
]

const stateLine = (state: SyncStatus, names: Names) => [
  names.get(state.channel_listing_id) ?? state.channel_listing_id,
  `${state.status}${state.stale ? ', stale' : ''}`,
  state.behind_since ?? '',
  state.error_message ?? '',
]

/** One line for each change of a state. */
export function describeEvent(state: SyncStatus, names: Names, now = new Date()): string {
  const name = names.get(state.channel_listing_id) ?? state.channel_listing_id
  const more = [
    state.attempts > 1 && `attempt ${state.attempts}`,
    state.stale && 'stale',
    state.next_attempt_at && `next attempt at ${state.next_attempt_at}`,
    state.error_message,
  ].filter(Boolean)
  return `${now.toISOString()}  ${state.status.padEnd(11)}  ${name}${more.length > 0 ? `  (${more.join(', ')})` : ''}`
}

export interface Proof {
  channel_listing_id: string
  in_sync: boolean
  checked_at: string | null
  error_message?: string | null
  differences: {
    field: string
    rate_plan_id: string | null
    date_from: string | null
    date_to: string | null
    desired: unknown
    read_back: unknown
  }[]
}

export function describeProof(proof: Proof): string {
  const when = proof.checked_at ? `read back at ${proof.checked_at}` : 'never read back'
  const unavailable = proof.error_message ? `\nThe PMS could not be read now: ${proof.error_message}` : ''
  if (proof.in_sync) return `In sync, ${when}.${unavailable}`
  if (proof.differences.length === 0) return `Not in sync, ${when}.${unavailable}`
  const lines = proof.differences.map(({ field, rate_plan_id, date_from, date_to, desired, read_back }) => [
    field,
    date_from === null ? '' : date_from === date_to ? date_from : `${date_from} to ${date_to}`,
    rate_plan_id ?? '',
    formatValue(desired),
    formatValue(read_back),
  ])
  const found = table([['Field', 'Nights', 'Rate plan', 'Desired', 'At the PMS'], ...lines])
  return `Differs, ${when}.${unavailable}\n\n${found}`
}

const formatValue = (value: unknown) =>
  value === undefined || value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value)

import type { ChannelTarget, contract } from '@vacancy/client'

import { Badge } from '../../components/state-badge.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import type { SyncState } from '../../live/sync-state.ts'
import { channelMessages } from './messages.ts'
import styles from './channels.module.css'

export type SyncTarget = contract.SyncTarget

type Word = 'connected' | 'checking' | 'paused' | 'failing' | 'unreachable'

const badges: Record<Word, SyncState> = {
  connected: 'in-sync',
  checking: 'waiting',
  paused: 'paused',
  failing: 'failed',
  unreachable: 'failed',
}

const byStatus = { active: 'connected', pending: 'checking', inactive: 'paused', error: 'failing' } as const

/** The state of a channel in one word: an open circuit says more than the last health check. */
const wordOf = (target: ChannelTarget, sync: SyncTarget | undefined): Word =>
  target.status !== 'inactive' && sync && sync.circuit.state !== 'closed'
    ? 'unreachable'
    : byStatus[target.status]

interface ChannelStateProps {
  target: ChannelTarget
  sync: SyncTarget | undefined
}

export const ChannelState = ({ target, sync }: ChannelStateProps) => {
  const text = useMessages(channelMessages)
  const word = wordOf(target, sync)
  return <Badge state={badges[word]}>{text(word)}</Badge>
}

/** The meaning of the state in a sentence; of a failure, the message of the PMS. */
export const useStateReason = () => {
  const text = useMessages(channelMessages)
  return ({ target, sync }: ChannelStateProps): string => {
    const word = wordOf(target, sync)
    const reported = target.error_message && text('reported', { message: target.error_message })
    if (word === 'failing') return reported ?? ''
    if (word === 'unreachable')
      return [reported, text('unreachableWhy', { count: sync?.circuit.failures ?? 0 })]
        .filter(Boolean)
        .join(' ')
    return text(`${word}Why`)
  }
}

/** How many listings are in which state; what needs attention stands first and in colour. */
export const ListingCounts = ({ sync }: { sync: SyncTarget }) => {
  const text = useMessages(channelMessages)
  const { completed, waiting, in_progress, failed, paused, stale } = sync.queue
  const counts = [
    ['failed', failed],
    ['stale', stale],
    ['waiting', waiting + in_progress],
    ['suspended', paused],
    ['inSync', completed],
  ] as const
  const shown = counts.filter(([, count]) => count > 0)
  if (shown.length === 0) return <span className={styles.quiet}>{text('noListings')}</span>
  return (
    <span className={styles.counts}>
      {shown.map(([key, count]) => (
        <span key={key} data-count={key}>
          {text(key, { count })}
        </span>
      ))}
    </span>
  )
}

/** The calls that the PMS still allows: of the tightest budget. */
export const BudgetLeft = ({ sync }: { sync: SyncTarget }) => {
  const text = useMessages(channelMessages)
  const format = useFormat()
  const [tightest] = sync.budgets.toSorted((a, b) => a.remaining / a.limit - b.remaining / b.limit)
  if (!tightest) return <span className={styles.quiet}>{text('unlimited')}</span>
  return text('callsLeft', {
    remaining: format.number(tightest.remaining),
    limit: format.number(tightest.limit),
  })
}

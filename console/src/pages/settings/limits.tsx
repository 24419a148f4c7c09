import { useQuery } from '@tanstack/react-query'
import { getRateLimits } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { settingsMessages } from './messages.ts'
import styles from './limits.module.css'

type RequestCount = contract.RequestCount

/** The kinds of limits in the order in which they are shown. */
const kinds = [
  'reading',
  'writing',
  'search',
  'create_booking',
  'list_bookings',
  'list_properties',
  'analytics',
] as const
const refetchMs = 10_000
const nearlyUsed = 0.8

/** How many requests a minute are allowed, and how many of them are left now. */
export const Limits = () => {
  const text = useMessages(settingsMessages)
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [getRateLimits.path],
    queryFn: async ({ signal }) => (await api.send(getRateLimits, { signal })).rate_limits,
    refetchInterval: refetchMs,
    staleTime: 0,
  })
  if (!data)
    return (
      <Section title={text('limitNow')}>
        {error ? (
          <ProblemNote failure={error} onRetry={() => void refetch()} />
        ) : (
          <div className={styles.skeleton} />
        )}
      </Section>
    )
  const tier = text(data.tier as 'free')
  return (
    <Section title={text('limitNow')}>
      <p className={styles.text}>{text('limitsText', { tier })}</p>
      <ul className={styles.limits}>
        <Limit name={text('budget')} note={text('budgetText')} count={data.budget} />
        {kinds.map((kind) => {
          const counts = data.operations.filter(({ limit }) => limit === kind)
          const count = counts.map(({ requests }) => requests).reduce(fuller, undefined)
          const note = counts.length > 1 ? text('limitFullest') : null
          return count && <Limit key={kind} name={text(kind)} note={note} count={count} />
        })}
      </ul>
    </Section>
  )
}

const fuller = (one: RequestCount | undefined, other: RequestCount): RequestCount =>
  one && leftOf(one) <= leftOf(other) ? one : other

const leftOf = ({ remaining, max }: RequestCount) => remaining ?? max

const Limit = ({ name, note, count }: { name: string; note: string | null; count: RequestCount }) => {
  const text = useMessages(settingsMessages)
  const format = useFormat()
  const { max, resets_at } = count
  const left = leftOf(count)
  const used = max - left
  const words = text('limitOf', { remaining: format.number(left), max: format.number(max) })
  return (
    <li className={styles.limit}>
      <span className={styles.name}>{name}</span>
      <span className={styles.left}>{words}</span>
      <span
        className={styles.bar}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={used}
        aria-valuetext={words}
        data-state={left === 0 ? 'used' : used >= max * nearlyUsed ? 'nearly' : undefined}
      >
        <span style={{ width: `${(used / max) * 100}%` }} />
      </span>
      <span className={styles.note}>{note}</span>
      <span className={styles.note}>
        {resets_at && text('limitResets', { when: format.timeAgo(resets_at, Date.now()) })}
      </span>
    </li>
  )
}

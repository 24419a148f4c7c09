import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listRatePlans, getSyncProof } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { ProblemNote } from '../../components/problem-note.tsx'
import { withMember } from '../../components/read-search.ts'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi } from '../../session/api.tsx'
import { dateOf, dayOf, todayIn } from '../calendar/nights.ts'
import { FieldName, FieldValue } from './field-value.tsx'
import { listingMessages } from './messages.ts'
import { NightTable } from './night-table.tsx'
import { plansOf, proofNights } from './proof-nights.ts'
import type { Proof } from './proof-nights.ts'
import styles from './listing-page.module.css'

const shownNights = 28

export interface ProofSearch {
  from?: string
  plan?: string
  differing?: true
}

interface ProofSectionProps {
  listing: ChannelListing
  timeZone: string | undefined
  /** When the PMS last accepted something: then it is read again. */
  syncedAt: string | null
  search: ProofSearch
  onSearch: (search: ProofSearch) => void
}

/** What is wanted, what the PMS accepted and what it shows when it is read now, night beside night. */
export const ProofSection = ({ listing, timeZone, syncedAt, search, onSearch }: ProofSectionProps) => {
  const text = useMessages(listingMessages)
  const format = useFormat()
  const api = useApi()
  const today = todayIn(timeZone)
  const first = Math.max(search.from ? dayOf(search.from) : today, today)
  const range = { from: dateOf(first), to: dateOf(first + shownNights - 1) }
  const {
    data: proof,
    error,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: [getSyncProof.path, listing.id, range.from, syncedAt],
    queryFn: async ({ signal }) =>
      (await api.send(getSyncProof, { path: { listingId: listing.id }, query: range, signal })).proof,
    enabled: timeZone !== undefined,
    placeholderData: (before) => before,
  })
  const { data: plans } = useQuery({
    queryKey: [listRatePlans.path, listing.unit_id],
    queryFn: async ({ signal }) =>
      (await api.send(listRatePlans, { query: { unit_id: listing.unit_id, limit: 100 }, signal })).rate_plans,
  })

  const planIds = proof ? plansOf(proof) : []
  const known = (plans ?? []).filter(({ id }) => planIds.includes(id))
  const planId =
    planIds.find((id) => id === search.plan) ??
    known.find(({ is_default }) => is_default)?.id ??
    planIds[0] ??
    null
  const nights = proof ? proofNights(proof, planId) : []
  const differing = nights.filter(({ differs }) => differs.size > 0)
  const isMissing = proof?.differences.some(isOfWholeRoom) ?? false
  const shown = search.differing && !isMissing ? differing : nights
  const goTo = (day: number) => onSearch({ ...search, from: dateOf(Math.max(day, today)) })

  return (
    <Section
      title={text('proof')}
      actions={
        <Button size="compact-sm" variant="default" loading={isFetching} onClick={() => void refetch()}>
          {text('tryAgain')}
        </Button>
      }
    >
      <ProblemNote failure={proof ? null : error} onRetry={() => void refetch()} />
      {!proof && !error && <TableSkeleton />}
      {proof && (
        <>
          <ContentDifferences proof={proof} currency={listing.unit.currency} />
          <div className={styles.tools}>
            {isMissing ? (
              <strong className={styles.bad} role="alert">
                {text('missing', { id: listing.external_id ?? '' })}
              </strong>
            ) : (
              <Verdict proof={proof} nights={nights.length} differing={differing.length} />
            )}
            {known.length > 1 && (
              <label>
                {text('plan')}
                <select
                  value={planId ?? ''}
                  onChange={({ currentTarget: { value } }) => onSearch(withMember(search, 'plan', value))}
                >
                  {known.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            )}
            {!isMissing && (
              <label>
                <input
                  type="checkbox"
                  checked={search.differing ?? false}
                  onChange={({ currentTarget: { checked } }) =>
                    onSearch(withMember(search, 'differing', checked ? true : undefined))
                  }
                />
                {text('onlyDiffering')}
              </label>
            )}
          </div>
          {shown.length === 0 ? (
            <p className={styles.quiet}>{text('noDifference')}</p>
          ) : (
            <NightTable nights={shown} currency={listing.unit.currency} />
          )}
          <div className={styles.pager}>
            <Button
              size="compact-sm"
              variant="default"
              disabled={first <= today}
              onClick={() => goTo(first - shownNights)}
            >
              {text('earlier')}
            </Button>
            <span className={styles.quiet}>
              {format.date(range.from)} – {format.date(range.to)}
            </span>
            <Button
              size="compact-sm"
              variant="default"
              disabled={first + shownNights >= today + maxNightsAhead}
              onClick={() => goTo(first + shownNights)}
            >
              {text('later')}
            </Button>
          </div>
        </>
      )}
    </Section>
  )
}

/** A room that the PMS does not have is one difference; none is listed for its nights. */
const isOfWholeRoom = ({ field }: Proof['differences'][number]) => field === 'unit'

/** The number of nights that are kept at the PMS. */
const maxNightsAhead = 500

const Verdict = ({ proof, nights, differing }: { proof: Proof; nights: number; differing: number }) => {
  const text = useMessages(listingMessages)
  const format = useFormat()
  const { error_message: error, checked_at } = proof
  // The words of a PMS end as it likes, and a sentence follows.
  const reason = error && `${error.replace(/\.$/, '')}.`
  if (reason)
    return (
      <span className={styles.bad} role="alert">
        {checked_at
          ? text('proofOld', { reason, when: format.timeAgo(checked_at, Date.now()) })
          : text('proofNever', { reason })}
      </span>
    )
  return (
    <span role="status">
      {differing > 0 ? (
        <strong className={styles.bad}>{text('differ', { count: differing })}</strong>
      ) : (
        <strong className={styles.ok}>{text('allEqual', { count: nights })}</strong>
      )}{' '}
      <span className={styles.quiet}>{text('proofText')}</span>
    </span>
  )
}

const ContentDifferences = ({ proof, currency }: { proof: Proof; currency: string }) => {
  const text = useMessages(listingMessages)
  const content = proof.differences.filter((one) => one.date_from === null && !isOfWholeRoom(one))
  if (content.length === 0) return null
  return (
    <div className={styles.content}>
      <strong>{text('contentDiffers')}</strong>
      {content.map(({ field, desired, read_back }) => (
        <p key={field}>
          <FieldName field={field} />: <FieldValue field={field} value={read_back} currency={currency} /> →{' '}
          <FieldValue field={field} value={desired} currency={currency} />
        </p>
      ))}
    </div>
  )
}

import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  changeCalendar,
  deleteChannelListing,
  getChannelTargetPreflight,
  listChannelTargetOffers,
  resumeChannelListing,
} from '@vacancy/client'
import type { ChannelListing, ChannelTarget } from '@vacancy/client'

import { EmptyState } from '../../components/empty-state.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { ClosedNights } from './closed-nights.tsx'
import { countNights, openedRanges } from './closures.ts'
import { forEachAtOnce } from './for-each.ts'
import type { RatePlan } from './match.ts'
import { linkMessages } from './messages.ts'
import { UnitCheck } from './unit-check.tsx'
import { UnitFailures, useUnitFailures } from './unit-failures.tsx'
import type { UnitFailure } from './unit-failures.tsx'
import { listingsKey } from './use-link-data.ts'
import { useProofs } from './use-proofs.ts'
import styles from './link.module.css'

interface CheckStepProps {
  target: ChannelTarget
  plans: RatePlan[]
  /** The listings that wait to go live. */
  prepared: ChannelListing[]
  /** The units that could not be linked, or that could not go live before. */
  failedBefore: readonly UnitFailure[]
  onMore: () => void
  onLive: (ids: string[], failed: UnitFailure[]) => void
}

/** That one change of the calendar may have. */
const maxValues = 1_000

type Progress = { step: 'closing' } | { step: 'going'; done: number; all: number }

/** What is missing, and what going live would change at the PMS, night by night. */
export const CheckStep = (props: CheckStepProps) => {
  const { target, plans, prepared, failedBefore, onMore, onLive } = props
  const text = useMessages(linkMessages)
  const describe = useFailureText()
  const toast = useToast()
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const { proofs, retry } = useProofs(prepared)
  const [opens, setOpens] = useState(false)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [unlinking, setUnlinking] = useState<readonly string[]>([])
  const [failed, setFailed] = useUnitFailures(failedBefore)
  const { data: preflight, error } = useQuery({
    queryKey: [getChannelTargetPreflight.path, target.id, prepared.map(({ id }) => id)],
    queryFn: async ({ signal }) =>
      (await api.send(getChannelTargetPreflight, { path: { id: target.id }, signal })).preflight,
    enabled: prepared.length > 0,
  })

  const problemsOf = (id: string) =>
    (preflight?.problems ?? []).filter(
      // Each of them is paused until it goes live.
      (problem) => problem.channel_listing_id === id && problem.code !== 'listing_paused',
    )
  const isBlocked = ({ id }: ChannelListing) => problemsOf(id).some(({ severity }) => severity === 'error')
  // Nights that are closed there would be opened unseen. What is created there has none.
  const unread = prepared.filter(({ id, external_id }) => external_id !== null && proofs[id]?.error_message)
  const ready = prepared.filter((listing) => !isBlocked(listing) && !unread.includes(listing))
  const general = (preflight?.problems ?? []).filter((problem) => problem.channel_listing_id === null)
  const closures = ready.map((listing) => ({
    listing,
    differences: proofs[listing.id]?.differences ?? [],
  }))
  const closedNights = closures.reduce(
    (sum, { differences }) => sum + countNights(openedRanges(differences)),
    0,
  )
  const done = prepared.filter(({ id }) => proofs[id]).length

  const unlink = async (listing: ChannelListing, section: Element | null) => {
    const next = section?.nextElementSibling?.querySelector<HTMLElement>('button')
    setUnlinking((ids) => [...ids, listing.id])
    try {
      await api.send(deleteChannelListing, { path: { id: listing.id } })
      await queries.invalidateQueries({ queryKey: listingsKey(target.id) })
      next?.focus()
      // Its room can be linked again.
      void queries.invalidateQueries({ queryKey: [listChannelTargetOffers.path, target.id] })
    } catch (failure) {
      toast({ message: describe(failure) })
    }
    setUnlinking((ids) => ids.filter((id) => id !== listing.id))
  }

  /** Nights that stay closed are closed here first: what is sent then is what the PMS has. */
  const closeHere = async () => {
    setProgress({ step: 'closing' })
    for (const { listing, differences } of closures) {
      const unit_id = listing.unit_id
      const values = plans
        .filter((plan) => plan.unit_id === unit_id)
        .flatMap(({ id, is_default }) =>
          openedRanges(differences, id).map((range) => ({
            ...{ unit_id, ...range, stop_sell: true },
            ...(!is_default && { rate_plan_id: id }),
          })),
        )
      for (let at = 0; at < values.length; at += maxValues)
        await api.send(changeCalendar, { body: { values: values.slice(at, at + maxValues) } })
    }
  }
  const goLive = async () => {
    setFailed([])
    try {
      if (closedNights > 0 && !opens) await closeHere()
    } catch (failure) {
      setProgress(null)
      return setFailed([{ name: target.name, reason: describe(failure) }])
    }
    const faults: UnitFailure[] = []
    const live: string[] = []
    setProgress({ step: 'going', done: 0, all: ready.length })
    await forEachAtOnce(ready, async ({ id, unit }) => {
      try {
        await api.send(resumeChannelListing, { path: { id } })
        live.push(id)
      } catch (failure) {
        faults.push({ name: unit.name, reason: describe(failure) })
      }
      setProgress({ step: 'going', done: live.length + faults.length, all: ready.length })
    })
    for (const key of [listingsKey(target.id), ['channel-listings'], ['sync-statuses']])
      await queries.invalidateQueries({ queryKey: key })
    setProgress(null)
    setFailed(faults)
    if (live.length > 0) onLive(live, faults)
  }

  if (prepared.length === 0)
    return <EmptyState title={text('nextNone')} action={<Button onClick={onMore}>{text('more')}</Button>} />
  const isRead = done === prepared.length && (preflight || error)
  const reason = !may('channel_listings:write')
    ? text('forbidden')
    : ready.length === 0
      ? text('goLiveNone')
      : undefined
  return (
    <>
      <p className={styles.intro}>{text('checkIntro')}</p>
      {error && (
        <p className={styles.failed} role="alert">
          {text('preflightFailed', { reason: describe(error) })}
        </p>
      )}
      {general.length > 0 && (
        <div className={styles.failed} role="alert">
          {general.map(({ code, message, hint }) => (
            <p key={code}>
              {message} {hint}
            </p>
          ))}
        </div>
      )}
      {isRead && unread.length > 0 && (
        <div className={styles.failed} role="alert">
          <p>{text('unread', { count: unread.length })}</p>
          <Button size="compact-sm" variant="default" disabled={progress !== null} onClick={retry}>
            {text('retry')}
          </Button>
        </div>
      )}
      {isRead && closedNights > 0 && <ClosedNights count={closedNights} opens={opens} onChange={setOpens} />}
      {prepared.map((listing) => (
        <Section
          key={listing.id}
          title={listing.unit.name}
          actions={
            <Button
              size="compact-sm"
              variant="default"
              disabled={!may('channel_listings:write') || progress !== null}
              loading={unlinking.includes(listing.id)}
              aria-label={`${text('ignore')}: ${listing.unit.name}`}
              onClick={({ currentTarget }) => void unlink(listing, currentTarget.closest('section'))}
            >
              {text('ignore')}
            </Button>
          }
        >
          <UnitCheck
            listing={listing}
            proof={proofs[listing.id]}
            problems={problemsOf(listing.id)}
            plans={plans}
          />
        </Section>
      ))}
      <UnitFailures failed={failed} />
      <div className={styles.bar}>
        <span role="status" className={styles.quiet}>
          {progress?.step === 'closing'
            ? text('closing')
            : progress
              ? text('going', { done: progress.done, all: progress.all })
              : isRead
                ? reason
                : text('checking', { done, all: prepared.length })}
          {(progress?.step === 'going' || !isRead) && (
            <progress
              aria-label={text('title', { name: target.name })}
              max={progress?.step === 'going' ? progress.all : prepared.length}
              value={progress?.step === 'going' ? progress.done : done}
            />
          )}
        </span>
        <Button variant="default" onClick={onMore}>
          {text('more')}
        </Button>
        <Button
          loading={progress !== null}
          // What is being unlinked must not go live.
          disabled={!isRead || reason !== undefined || unlinking.length > 0}
          title={reason}
          onClick={() => void goLive()}
        >
          {text('goLive', { count: ready.length })}
        </Button>
      </div>
    </>
  )
}

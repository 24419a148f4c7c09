import { useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { createChannelListing } from '@vacancy/client'
import type { ChannelListing, ChannelTarget, Unit } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { SearchField } from '../../components/filters.tsx'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { fold } from '../../i18n/fold.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { applyEdits, assignUnit, labelUnits, suggestMatches, suggestPlans } from './match.ts'
import type { Match, Offer, RatePlan } from './match.ts'
import { linkMessages } from './messages.ts'
import { PlanMapping, providerTraits } from './plan-mapping.tsx'
import { forEachAtOnce } from './for-each.ts'
import { UnitFailures, useUnitFailures } from './unit-failures.tsx'
import type { UnitFailure } from './unit-failures.tsx'
import { UnitChoice } from './unit-choice.tsx'
import { listingsKey } from './use-link-data.ts'
import styles from './link.module.css'

interface MatchStepProps {
  target: ChannelTarget
  offers: Offer[]
  units: Unit[]
  plans: RatePlan[]
  listings: ChannelListing[]
  /** What was changed of the suggestions; going back to this step keeps it. */
  edited: readonly Match[]
  onEdit: (edited: Match[]) => void
  /** Called with the units that could not be linked, once others were. */
  onDone: (failed: UnitFailure[]) => void
}

/** Which room of the PMS is which unit, and which rate plan is which. */
export const MatchStep = (props: MatchStepProps) => {
  const { target, offers, units, plans, listings, edited, onEdit, onDone } = props
  const text = useMessages(linkMessages)
  const describe = useFailureText()
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const [query, setQuery] = useState('')
  const [progress, setProgress] = useState<{ done: number; all: number } | null>(null)
  const [failed, setFailed] = useUnitFailures()

  const traits = providerTraits(target)
  const linkable = useMemo(() => {
    const linked = new Set(listings.map(({ unit_id }) => unit_id))
    return new Map(
      units
        .filter((unit) => unit.account_id === target.account_id && unit.status !== 'archived')
        .filter(({ id }) => !linked.has(id))
        .map((unit) => [unit.id, unit]),
    )
  }, [units, listings, target])
  const labels = useMemo(() => labelUnits([...linkable.values()]), [linkable])
  const plansOf = useMemo(() => Map.groupBy(plans, ({ unit_id }) => unit_id), [plans])
  const linkedRooms = new Set(listings.map(({ external_id }) => external_id))
  const suggested = useMemo(
    () =>
      suggestMatches(
        offers.filter(({ external_id }) => !linkedRooms.has(external_id)),
        linkable,
      ),
    [offers, listings, linkable],
  )
  const suggestedUnits = useMemo(() => new Map(suggested.map(({ id, unitId }) => [id, unitId])), [suggested])
  const matches = applyEdits(suggested, edited, linkable)
  const taken = new Set(matches.filter(({ offer }) => offer).map(({ unitId }) => unitId))
  const rows: Match[] = [
    ...matches.filter(({ offer, unitId }) => offer || (unitId && !taken.has(unitId))),
    ...[...linkable.keys()]
      .filter((id) => !matches.some(({ unitId }) => unitId === id))
      .map((id) => ({ id: `new ${id}`, offer: null, unitId: id, isIncluded: false, plans: {} })),
  ]
  const planMapping = (match: Match) => ({
    ...suggestPlans(plansOf.get(match.unitId ?? '') ?? [], match.offer, traits),
    ...match.plans,
  })
  const change = (match: Match, next: Partial<Match>) =>
    onEdit(
      matches.some(({ id }) => id === match.id)
        ? matches.map((one) => (one.id === match.id ? { ...one, ...next } : one))
        : [...matches, { ...match, ...next }],
    )
  const nameOf = ({ offer, unitId }: Match) => offer?.name ?? linkable.get(unitId ?? '')?.name ?? ''

  const needle = fold(query.trim())
  const shown = needle
    ? rows.filter((match) =>
        [match.offer?.name, match.offer?.external_id, linkable.get(match.unitId ?? '')?.name].some((name) =>
          fold(name ?? '').includes(needle),
        ),
      )
    : rows
  const included = rows.filter(({ isIncluded, unitId }) => isIncluded && unitId)

  const columns: Column<Match>[] = [
    {
      id: 'room',
      header: text('room'),
      width: 'minmax(200px, 3fr)',
      cell: (match) => (
        <span className={styles.include}>
          <input
            type="checkbox"
            className={styles.box}
            aria-label={text('include', { name: nameOf(match) })}
            checked={match.isIncluded && match.unitId !== null}
            disabled={match.unitId === null}
            onChange={(event) => change(match, { isIncluded: event.currentTarget.checked })}
          />
          <RoomName match={match} />
        </span>
      ),
    },
    {
      id: 'unit',
      header: text('unit'),
      width: 'minmax(220px, 4fr)',
      cell: (match) => (
        <UnitChoice
          match={match}
          units={linkable}
          labels={labels}
          isChosen={match.unitId !== null && match.unitId !== suggestedUnits.get(match.id)}
          onChange={(unitId) => onEdit(assignUnit(matches, match.id, unitId))}
        />
      ),
    },
    {
      id: 'plans',
      header: text('plans'),
      width: 'minmax(150px, 2fr)',
      cell: (match) =>
        match.unitId && (
          <PlanMapping
            traits={traits}
            offer={match.offer}
            plans={plansOf.get(match.unitId) ?? []}
            mapping={planMapping(match)}
            onChange={(next) => change(match, { plans: { ...match.plans, ...next } })}
          />
        ),
    },
  ]

  const link = async () => {
    setFailed([])
    const all = included.length
    let done = 0
    setProgress({ done, all })
    const faults: UnitFailure[] = []
    await forEachAtOnce(included, async (match) => {
      const mapping = Object.entries(planMapping(match)).filter(([, external_id]) => external_id)
      try {
        await api.send(createChannelListing, {
          body: {
            unit_id: match.unitId as string,
            channel_target_id: target.id,
            ...(match.offer ? { external_id: match.offer.external_id } : { create: true }),
            ...(traits.hasPlans && {
              rate_plans: mapping.map(([rate_plan_id, external_id]) => ({ rate_plan_id, external_id })),
            }),
            // It waits until it goes live: nothing is sent of a paused listing.
            status: 'paused',
          },
        })
      } catch (failure) {
        faults.push({ name: nameOf(match), reason: describe(failure) })
      }
      done += 1
      setProgress({ done, all })
    })
    await queries.invalidateQueries({ queryKey: listingsKey(target.id) })
    setProgress(null)
    setFailed(faults)
    if (faults.length < all) onDone(faults)
  }

  const reason = !may('channel_listings:write')
    ? text('forbidden')
    : included.length === 0
      ? text('nextNone')
      : undefined
  return (
    <>
      <UnsavedChanges isDirty={edited.length > 0 && included.length > 0 && progress === null} />
      <p className={styles.intro}>{text('matchIntro')}</p>
      <div className={styles.filters}>
        <SearchField label={text('search')} value={query} onChange={setQuery} />
        <span className={styles.quiet}>
          {text('summary', {
            rooms: offers.length,
            linked: offers.length - suggested.length,
          })}
        </span>
      </div>
      <RecordTable
        label={text('room')}
        columns={columns}
        list={{
          records: shown,
          error: null,
          hasMore: false,
          isLoadingMore: false,
          moreError: null,
          loadMore: () => {},
          refetch: () => {},
        }}
        empty={
          <EmptyState
            title={text('nothingToMatch')}
            action={
              <ButtonLink to="/channels/$channelId" params={{ channelId: target.id }} variant="default">
                {text('toChannel')}
              </ButtonLink>
            }
          >
            {text('nothingToMatchText')}
          </EmptyState>
        }
      />
      <UnitFailures failed={failed} />
      <div className={styles.bar} hidden={rows.length === 0 && progress === null}>
        {progress === null ? (
          <span className={styles.quiet}>{reason}</span>
        ) : (
          <label>
            <span className={styles.quiet} role="status">
              {text('linking', progress)}
            </span>
            <progress max={progress.all} value={progress.done} />
          </label>
        )}
        <Button
          loading={progress !== null}
          disabled={reason !== undefined}
          title={reason}
          onClick={() => void link()}
        >
          {text('next', { count: included.length })}
        </Button>
      </div>
    </>
  )
}

const RoomName = ({ match: { offer } }: { match: Match }) => {
  const text = useMessages(linkMessages)
  if (!offer)
    return (
      <span className={styles.room}>
        <strong>{text('createThere')}</strong>
      </span>
    )
  const { name, external_id, max_guests, quantity, active } = offer
  const facts = [
    external_id,
    max_guests !== null && text('guests', { count: max_guests }),
    quantity !== null && quantity > 1 && text('rooms', { count: quantity }),
  ]
  return (
    <span className={styles.room}>
      <strong>{name}</strong>
      <span className={styles.hints}>
        {facts.filter(Boolean).join(' · ')}
        {!active && <span data-warn="true">{text('inactiveThere')}</span>}
      </span>
    </span>
  )
}

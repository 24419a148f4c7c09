import { useEffect, useRef, useState } from 'react'
import { getRouteApi, useLocation } from '@tanstack/react-router'

import { NoUnits } from '../../components/no-units.tsx'
import { Page } from '../../components/page.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { Steps } from '../../components/steps.tsx'
import { useIsShown } from '../../components/use-is-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { CheckStep } from './check-step.tsx'
import { LiveStep } from './live-step.tsx'
import { MatchStep } from './match-step.tsx'
import type { Match } from './match.ts'
import { linkMessages } from './messages.ts'
import type { UnitFailure } from './unit-failures.tsx'
import { isPrepared, useLinkData } from './use-link-data.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The listings that the wizard made live; kept when the page is loaded again. */
    live?: readonly string[]
  }
}

const route = getRouteApi('/channels/$channelId/link')
const steps = { match: 'stepMatch', check: 'stepCheck', live: 'stepLive' } as const
export type Step = keyof typeof steps
const stepNames = Object.keys(steps) as Step[]

/** Links units to the rooms of a PMS in three steps; until the last one, nothing is sent. */
export const LinkWizard = () => {
  const text = useMessages(linkMessages)
  const { channelId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const data = useLinkData(channelId)
  const { live = [] } = useLocation().state
  const [edited, setEdited] = useState<readonly Match[]>([])
  const [failed, setFailed] = useState<readonly UnitFailure[]>([])
  const { target, offers, units, plans, listings, error, refetch } = data

  const prepared = listings?.filter(isPrepared) ?? []
  const isShown = useIsShown()
  const go = (next: Step, sent: readonly string[] = []) => {
    // The user may have left the wizard meanwhile.
    if (isShown.current) void navigate({ search: { step: next }, state: { live: sent } })
  }
  const isReady = target && offers && units && plans && listings
  // Where the wizard begins; what it does later does not change the step.
  const begin = useRef<Step>(undefined)
  if (isReady) begin.current ??= prepared.length > 0 ? 'check' : 'match'
  const step = search.step ?? begin.current ?? 'match'

  // The button that was used is gone with its step.
  const focused = useRef(search.step)
  useEffect(() => {
    if (focused.current !== search.step) document.querySelector<HTMLElement>('#content')?.focus()
    focused.current = search.step
  }, [search.step])

  return (
    <Page
      title={target ? text('title', { name: target.name }) : text('tabTitle')}
      tabTitle={text('tabTitle')}
      back={{
        link: { to: '/channels/$channelId', params: { channelId } },
        place: target?.name ?? text('channel'),
      }}
    >
      <Steps
        label={text('steps')}
        names={stepNames.map((name) => text(steps[name]))}
        current={stepNames.indexOf(step)}
      />
      {error || !isReady ? (
        <RecordFallback error={error} title={text('loadFailed')} onRetry={refetch} />
      ) : units.length === 0 ? (
        <NoUnits />
      ) : step === 'match' ? (
        <MatchStep
          {...{ target, offers, units, plans, listings, edited }}
          onEdit={setEdited}
          onDone={(unlinked) => {
            setFailed(unlinked)
            go('check')
          }}
        />
      ) : step === 'check' ? (
        <CheckStep
          {...{ target, plans }}
          prepared={prepared}
          failedBefore={failed}
          onMore={() => go('match')}
          onLive={(sent, failures) => {
            setFailed(failures)
            go('live', sent)
          }}
        />
      ) : (
        <LiveStep
          channelId={channelId}
          listings={listings.filter(({ id }) => live.includes(id))}
          failed={failed}
        />
      )}
    </Page>
  )
}

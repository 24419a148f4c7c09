import { useState } from 'react'
import { getRouteApi } from '@tanstack/react-router'

import { Page } from '../../components/page.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { Steps } from '../../components/steps.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { CheckStep } from './check-step.tsx'
import { LiveStep } from './live-step.tsx'
import { MatchStep } from './match-step.tsx'
import { linkMessages } from './messages.ts'
import type { UnitFailure } from './unit-failures.tsx'
import { isPrepared, useLinkData } from './use-link-data.ts'

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
  const [live, setLive] = useState<readonly string[]>([])
  const [unlinked, setUnlinked] = useState<readonly UnitFailure[]>([])
  const { target, offers, units, plans, listings, error, refetch } = data

  const prepared = listings?.filter(isPrepared) ?? []
  const step: Step = search.step ?? (prepared.length > 0 ? 'check' : 'match')
  const go = (next: Step) => void navigate({ search: { step: next } })
  const isReady = target && offers && units && plans && listings

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
      ) : step === 'match' ? (
        <MatchStep
          {...{ target, offers, units, plans, listings }}
          onDone={(failed) => {
            setUnlinked(failed)
            go('check')
          }}
        />
      ) : step === 'check' ? (
        <CheckStep
          {...{ target, plans }}
          prepared={prepared}
          unlinked={unlinked}
          onMore={() => go('match')}
          onLive={(ids) => {
            setLive(ids)
            go('live')
          }}
        />
      ) : (
        <LiveStep channelId={channelId} listings={listings.filter(({ id }) => live.includes(id))} />
      )}
    </Page>
  )
}

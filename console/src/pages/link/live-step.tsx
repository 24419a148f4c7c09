import { Link } from '@tanstack/react-router'
import { triggerSync } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { SyncError } from '../../components/sync-error.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useStatuses } from '../../live/sync-statuses.ts'
import { stateOf } from '../../live/sync-state.ts'
import { useApi } from '../../session/api.tsx'
import { linkMessages } from './messages.ts'
import { UnitFailures } from './unit-failures.tsx'
import type { UnitFailure } from './unit-failures.tsx'
import styles from './link.module.css'

interface LiveStepProps {
  channelId: string
  listings: ChannelListing[]
  /** The units that could not go live. */
  failed: readonly UnitFailure[]
}

/** How far the first sync of each unit is, and why one failed. */
export const LiveStep = ({ channelId, listings, failed: failures }: LiveStepProps) => {
  const text = useMessages(linkMessages)
  const describe = useFailureText()
  const toast = useToast()
  const api = useApi()
  const { statuses = {} } = useStatuses({ channel_target_id: [channelId] })
  const count = (wanted: string) => listings.filter(({ id }) => statuses[id]?.status === wanted).length
  const completed = count('completed')
  const failed = count('failed')
  const retry = (id: string) =>
    api
      .send(triggerSync, { body: { channel_listing_id: id } })
      .catch((failure: unknown) => toast({ message: describe(failure) }))
  const toChannel = (
    <ButtonLink to="/channels/$channelId" params={{ channelId }}>
      {text('toChannel')}
    </ButtonLink>
  )
  if (listings.length === 0)
    return (
      <EmptyState title={text('noneLive')} action={toChannel}>
        {text('noneLiveText')}
      </EmptyState>
    )
  return (
    <>
      <p className={styles.intro}>{text('liveIntro')}</p>
      <ul className={styles.live}>
        {listings.map((listing) => {
          const status = statuses[listing.id]
          return (
            <li key={listing.id}>
              <Link to="/listings/$listingId" params={{ listingId: listing.id }} search={{}}>
                {listing.unit.name}
              </Link>
              <span className={styles.quiet}>{listing.external_id}</span>
              <StateBadge state={stateOf({ status: 'active' }, status)} />
              {status?.status === 'failed' && (
                <ActionButton onClick={() => retry(listing.id)}>{text('retry')}</ActionButton>
              )}
              {status?.error_message && status.status !== 'completed' && (
                <p>
                  <SyncError
                    code={status.error_code}
                    message={status.error_message}
                    target={listing.channel_target.name}
                  />
                </p>
              )}
            </li>
          )
        })}
      </ul>
      <UnitFailures failed={failures} />
      <div className={styles.bar}>
        <span role="status" className={styles.quiet}>
          {[text('liveDone', { count: completed }), failed > 0 && text('failedUnits', { count: failed })]
            .filter(Boolean)
            .join(', ')}
          <progress aria-label={text('stepLive')} max={listings.length} value={completed + failed} />
        </span>
        {toChannel}
      </div>
    </>
  )
}

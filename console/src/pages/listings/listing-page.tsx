import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { getSpace } from '@vacancy/client'

import { Page } from '../../components/page.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useStatuses } from '../../live/sync-statuses.ts'
import { useApi } from '../../session/api.tsx'
import { History } from './history.tsx'
import { ListingActions } from './listing-actions.tsx'
import { listingMessages } from './messages.ts'
import { ProofSection } from './proof-section.tsx'
import { SyncStatusPanel } from './sync-status-panel.tsx'
import { useListing } from './use-listing.ts'
import styles from './listing-page.module.css'

const route = getRouteApi('/listings/$listingId')

/** One unit at one PMS: its state, what is wanted beside what the PMS has, and every attempt. */
export const ListingPage = () => {
  const text = useMessages(listingMessages)
  const api = useApi()
  const { listingId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: listing, error, refetch } = useListing(listingId)
  const status = useStatuses(listing ? { unit_id: [listing.unit_id] } : null).statuses?.[listingId]
  const spaceId = listing?.unit.space_id
  const { data: space } = useQuery({
    queryKey: [getSpace.path, spaceId],
    queryFn: async ({ signal }) =>
      (await api.send(getSpace, { path: { id: spaceId as string }, signal })).space,
    enabled: spaceId !== undefined,
  })

  if (!listing)
    return (
      <Page title={text('listing')}>
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      </Page>
    )
  const { unit, channel_target: target, external_id } = listing
  return (
    <Page
      readError={error}
      title={unit.name}
      back={{
        link: { to: '/channels/$channelId', params: { channelId: target.id } },
        place: target.name,
      }}
      summary={
        <Link to="/channels/$channelId" params={{ channelId: target.id }} className={styles.channel}>
          {external_id
            ? text('linkedTo', { channel: target.name, id: external_id })
            : text('createdSoon', { channel: target.name })}
        </Link>
      }
      actions={<ListingActions listing={listing} />}
    >
      <div className={styles.columns}>
        <div>
          <ProofSection
            listing={listing}
            timeZone={space?.timezone}
            search={search}
            syncedAt={status?.last_synced_at ?? null}
            onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
          />
        </div>
        <div>
          <SyncStatusPanel listing={listing} status={status} timeZone={space?.timezone} />
          {status && status.warnings.length > 0 && (
            <div className={styles.warning}>
              <strong>{text('warnings')}</strong>
              {status.warnings.map(({ rate_plan_id, message }) => (
                <p key={rate_plan_id}>{message}</p>
              ))}
            </div>
          )}
          <History listing={listing} timeZone={space?.timezone} />
        </div>
      </div>
    </Page>
  )
}

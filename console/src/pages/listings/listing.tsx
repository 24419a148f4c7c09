import { Drawer } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'

import { EmptyState } from '../../components/empty-state.tsx'
import { useReturnFocus } from '../../components/return-focus.ts'
import { useEscape } from '../../components/use-escape.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useStatuses } from '../../live/sync-statuses.ts'
import { usePortfolioRecords } from '../portfolio/use-portfolio-records.ts'
import { History } from './history.tsx'
import { SyncStatusPanel } from './sync-status-panel.tsx'
import { useListing } from './use-listing.ts'
import { listingMessages } from './messages.ts'
import styles from './listing.module.css'

const route = getRouteApi('/units/listings/$listingId')

/** One listing beside the portfolio: its state and its history. */
export const ListingDrawer = () => {
  const text = useMessages(listingMessages)
  const describe = useFailureText()
  const { listingId } = route.useParams()
  const navigate = route.useNavigate()
  const { data: listing, error } = useListing(listingId)
  const { spaces } = usePortfolioRecords()
  const timeZone = spaces?.find(({ id }) => id === listing?.unit.space_id)?.timezone
  const status = useStatuses().statuses?.[listingId]
  useReturnFocus(`[data-listing="${CSS.escape(listingId)}"] a`)
  const close = () => void navigate({ to: '/units', search: true })
  useEscape(close)
  return (
    <Drawer.Root
      opened
      onClose={close}
      closeOnEscape={false}
      position="right"
      size={560}
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content>
        <div className={styles.head}>
          <div className={styles.names}>
            <Drawer.Title className={styles.unit}>
              {listing?.unit.name ?? (error ? text('listing') : ' ')}
            </Drawer.Title>
            <p className={styles.target}>
              {listing && (
                <>
                  {listing.channel_target.name}
                  <code>{listing.external_id}</code>
                  <Link to="/listings/$listingId" params={{ listingId }}>
                    {text('fullPage')}
                  </Link>
                </>
              )}
            </p>
          </div>
          <Drawer.CloseButton aria-label={text('close')} />
        </div>
        <Drawer.Body className={styles.body}>
          {error && !listing ? (
            <EmptyState tone="bad" title={text('loadFailed')}>
              {describe(error)}
            </EmptyState>
          ) : (
            listing && (
              <>
                <SyncStatusPanel listing={listing} status={status} timeZone={timeZone} />
                <History listing={listing} timeZone={timeZone} />
              </>
            )
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

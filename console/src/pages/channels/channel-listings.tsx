import { useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { listChannelListings, retrySync } from '@vacancy/client'
import type { ChannelListing, ChannelTarget } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { SyncError } from '../../components/sync-error.tsx'
import { useToast } from '../../components/toast.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useStatuses } from '../../live/sync-statuses.ts'
import { stateOf } from '../../live/sync-state.ts'
import { useApi, useCaller } from '../../session/api.tsx'
import type { SyncTarget } from './channel-state.tsx'
import { detailMessages } from './detail-messages.ts'
import { channelMessages } from './messages.ts'
import { useRefreshChannels } from './use-channels.ts'
import styles from './channels.module.css'

interface ChannelListingsProps {
  target: ChannelTarget
  sync: SyncTarget | undefined
}

/** The units that are linked to a channel, with the state of each. */
export const ChannelListings = ({ target, sync }: ChannelListingsProps) => {
  const text = useMessages(detailMessages)
  const words = useMessages(channelMessages)
  const describe = useFailureText()
  const api = useApi()
  const toast = useToast()
  const { may } = useCaller()
  const refresh = useRefreshChannels()
  const { statuses } = useStatuses({ channel_target_id: [target.id] })
  const [isRetrying, setRetrying] = useState(false)
  const list = useRecords(listChannelListings, { query: { channel_target_id: target.id } })
  const reason = may('sync:write') ? undefined : words('mayNotSync')

  const columns = useMemo(
    (): Column<ChannelListing>[] => [
      { id: 'unit', header: text('unit'), width: 'minmax(160px, 2fr)', cell: ({ unit }) => unit.name },
      {
        id: 'external',
        header: text('atPms'),
        width: 'minmax(110px, 1fr)',
        cell: ({ external_id }) => external_id ?? '–',
      },
      {
        id: 'state',
        header: text('state'),
        width: 'minmax(220px, 3fr)',
        cell: (listing) => {
          const status = statuses?.[listing.id]
          return (
            <span className={styles.state}>
              <StateBadge state={stateOf(listing, status)} />
              {status?.error_message && (
                <span className={styles.reason}>
                  <SyncError code={status.error_code} message={status.error_message} target={target.name} />
                </span>
              )}
            </span>
          )
        },
      },
      {
        id: 'synced',
        header: text('lastSynced'),
        width: '130px',
        phone: 'end',
        cell: ({ last_synced_at: at, id }) => {
          const latest = statuses?.[id]?.last_synced_at ?? at
          return latest ? <RelativeTime at={latest} /> : words('never')
        },
      },
    ],
    [text, words, statuses, target.name],
  )

  const retry = async () => {
    setRetrying(true)
    try {
      const { retry: result } = await api.send(retrySync, { body: { channel_target_id: target.id } })
      toast({ message: text('retried', { count: result.queued }) })
      await refresh()
    } catch (failure) {
      toast({ message: describe(failure) })
    } finally {
      setRetrying(false)
    }
  }

  return (
    <section aria-labelledby="channel-listings">
      <div className={styles.tableHead}>
        <h2 id="channel-listings" tabIndex={-1}>
          {text('listings')}
        </h2>
        {(sync?.queue.failed ?? 0) > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            loading={isRetrying}
            {...(reason && { disabled: true, title: reason })}
            onClick={() => void retry()}
          >
            {text('retryFailed')}
          </Button>
        )}
      </div>
      <RecordTable
        label={text('listings')}
        columns={columns}
        list={list}
        link={({ id }) => ({ to: '/listings/$listingId', params: { listingId: id } })}
        empty={
          <EmptyState
            title={text('noListings')}
            action={
              <ButtonLink to="/channels/$channelId/link" params={{ channelId: target.id }}>
                {text('link')}
              </ButtonLink>
            }
          >
            {text('noListingsText')}
          </EmptyState>
        }
      />
    </section>
  )
}

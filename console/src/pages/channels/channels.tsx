import { useEffect, useMemo } from 'react'
import { getRouteApi } from '@tanstack/react-router'
import { listChannelTargets } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { SearchField } from '../../components/filters.tsx'
import { Page } from '../../components/page.tsx'
import { withMember } from '../../components/read-search.ts'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller } from '../../session/api.tsx'
import { BudgetLeft, ChannelState, ListingCounts, useStateReason } from './channel-state.tsx'
import { channelMessages } from './messages.ts'
import { PauseButton } from './pause-button.tsx'
import {
  checkedEveryMs,
  isBeingChecked,
  refreshMs,
  useRefreshChannels,
  useSyncTargets,
} from './use-channels.ts'
import styles from './channels.module.css'

const route = getRouteApi('/channels')

/** The PMS connections: whether they work, what waits, and how many calls they allow. */
export const Channels = () => {
  const text = useMessages(channelMessages)
  const { may } = useCaller()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const setFilter = (search: typeof filter) => void navigate({ search, replace: true })
  const syncs = useSyncTargets()
  const reasonOf = useStateReason()
  const query = { sort: 'name', ...(filter.q && { q: filter.q }) } as const
  const list = useRecords(listChannelTargets, { query })

  const refresh = useRefreshChannels()
  const isChecking = list.records?.some(isBeingChecked)
  useEffect(() => {
    const timer = setInterval(() => void refresh(), isChecking ? checkedEveryMs : refreshMs)
    return () => clearInterval(timer)
  }, [isChecking])

  const columns = useMemo(
    (): Column<ChannelTarget>[] => [
      {
        id: 'name',
        header: text('name'),
        width: 'minmax(160px, 1.4fr)',
        cell: (target) => target.name,
      },
      {
        id: 'state',
        header: text('state'),
        width: 'minmax(140px, 1.8fr)',
        cell: (target) => {
          const sync = syncs?.[target.id]
          return (
            <span className={styles.state}>
              <ChannelState target={target} sync={sync} />
              {target.status !== 'active' && (
                <span className={styles.reason}>{reasonOf({ target, sync })}</span>
              )}
            </span>
          )
        },
      },
      {
        id: 'listings',
        header: text('listings'),
        width: 'minmax(130px, 1.2fr)',
        cell: ({ id }) => syncs?.[id] && <ListingCounts sync={syncs[id]} />,
      },
      {
        id: 'budget',
        header: text('budget'),
        width: '124px',
        align: 'end',
        phone: 'hidden',
        cell: ({ id }) => syncs?.[id] && <BudgetLeft sync={syncs[id]} />,
      },
      {
        id: 'check',
        header: text('lastCheck'),
        width: '110px',
        phone: 'labelled',
        cell: ({ last_health_check_at: at }) => (at ? <RelativeTime at={at} /> : text('never')),
      },
      {
        id: 'action',
        header: text('sending'),
        width: '104px',
        align: 'end',
        phone: 'end',
        cell: (target) => <PauseButton target={target} size="compact-sm" />,
      },
    ],
    [text, syncs],
  )

  const connect = (
    <ButtonLink
      to="/channels/new"
      {...(!may('channel_targets:write') && {
        'data-disabled': true,
        'aria-disabled': true,
        title: text('mayNotWrite'),
      })}
    >
      {text('connect')}
    </ButtonLink>
  )
  return (
    <Page
      title={text('title')}
      actions={
        <>
          <ButtonLink to="/import" variant="default">
            {text('import')}
          </ButtonLink>
          {connect}
        </>
      }
      filters={
        <SearchField
          label={text('search')}
          value={filter.q}
          onChange={(q) => setFilter(withMember(filter, 'q', q))}
        />
      }
      views={<SavedViews screen="channels" filter={filter} onFilter={setFilter} />}
    >
      <RecordTable
        label={text('title')}
        columns={columns}
        list={list}
        link={({ id }) => ({ to: '/channels/$channelId', params: { channelId: id } })}
        empty={
          <EmptyState title={text('empty')} action={connect}>
            {text('emptyText')}
          </EmptyState>
        }
      />
    </Page>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { deleteCalendarFeed, listCalendarFeeds } from '@vacancy/client'
import type { contract, Unit } from '@vacancy/client'

import { EditableList } from '../../components/editable-list.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Badge } from '../../components/state-badge.tsx'
import { Quoted } from '../../components/sync-error.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { CopyField } from './copy-field.tsx'
import { FeedDialog } from './feed-dialog.tsx'
import { FreeKeptButton, ReadNowButton } from './feed-actions.tsx'
import { feedMessages } from './messages.ts'
import styles from './feeds.module.css'

type CalendarFeed = contract.CalendarFeed

/** The calendars that a unit exchanges with sites that are not connected. */
export const FeedsSection = ({ unit }: { unit: Unit }) => {
  const text = useMessages(feedMessages)
  const api = useApi()
  const queries = useQueryClient()
  const { may } = useCaller()
  const list = useRecords(listCalendarFeeds, { query: { unit_id: [unit.id], limit: 100 } })
  const refresh = () => queries.invalidateQueries({ queryKey: [listCalendarFeeds.path] })
  return (
    <EditableList
      title={text('feeds')}
      add={text('add')}
      none={text('noFeeds')}
      records={list.records}
      error={list.error}
      onRetry={list.refetch}
      refusal={may('units:write') ? undefined : text('mayNot')}
      deleteText={text('deleteText')}
      onDelete={async ({ id }) => {
        await api.send(deleteCalendarFeed, { path: { id } })
        await refresh()
      }}
      dialog={(feed, onClose) => (
        <FeedDialog unitId={unit.id} feed={feed} onSaved={refresh} onClose={onClose} />
      )}
    >
      {(feed) => <FeedRow feed={feed} timeZone={unit.space.timezone} refresh={refresh} />}
    </EditableList>
  )
}

interface FeedRowProps {
  feed: CalendarFeed
  timeZone: string
  refresh: () => Promise<unknown>
}

const FeedRow = ({ feed, timeZone, refresh }: FeedRowProps) => {
  const text = useMessages(feedMessages)
  const isImport = feed.direction === 'import'
  return (
    <>
      <span className={styles.head}>
        <strong>{feed.name}</strong>
        <FeedState feed={feed} />
      </span>
      <p>
        {text(isImport ? 'imported' : 'exported')}
        {isImport && ` · ${text('blocks', { count: feed.blocks })}`}
        {feed.last_fetched_at && (
          <>
            {' · '}
            <RelativeTime at={feed.last_fetched_at} timeZone={timeZone} />
          </>
        )}
      </p>
      {feed.error_message && (
        <p className={styles.error}>
          <Quoted>{feed.error_message}</Quoted>
        </p>
      )}
      {feed.held?.decision === 'keep' && <p>{text('kept', { count: feed.held.nights })}</p>}
      {isImport && (
        <span className={styles.actions}>
          {feed.status !== 'inactive' && <ReadNowButton {...{ feed, refresh }} />}
          {feed.held &&
            (feed.held.decision === 'keep' ? (
              <FreeKeptButton {...{ feed, refresh }} since={feed.held.since} />
            ) : (
              <Link to="/inbox">{text('toInbox')}</Link>
            ))}
        </span>
      )}
      {!isImport && feed.url && (
        <>
          <CopyField label={text('address', { name: feed.name })} value={feed.url} />
          <p>{text('secret')}</p>
        </>
      )}
    </>
  )
}

const FeedState = ({ feed }: { feed: CalendarFeed }) => {
  const text = useMessages(feedMessages)
  if (feed.status === 'inactive') return <Badge state="paused">{text('paused')}</Badge>
  if (feed.status === 'error') return <Badge state="failed">{text('failing')}</Badge>
  if (feed.held && !feed.held.decision) return <Badge state="waiting">{text('held')}</Badge>
  if (feed.direction === 'import' && !feed.last_fetched_at)
    return <Badge state="waiting">{text('waiting')}</Badge>
  return <Badge state="in-sync">{text('working')}</Badge>
}

import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { deleteCalendarFeed, listCalendarFeeds, updateCalendarFeed } from '@vacancy/client'
import type { contract, Unit } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { EditableList } from '../../components/editable-list.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Badge } from '../../components/state-badge.tsx'
import { useToast } from '../../components/toast.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { CopyField } from './copy-field.tsx'
import { FeedDialog } from './feed-dialog.tsx'
import { feedMessages } from './messages.ts'
import styles from './feeds.module.css'

type CalendarFeed = contract.CalendarFeed

/** The calendars that a unit exchanges with sites that are not connected. */
export const FeedsSection = ({ unit }: { unit: Unit }) => {
  const text = useMessages(feedMessages)
  const api = useApi()
  const queries = useQueryClient()
  const toast = useToast()
  const describe = useFailureText()
  const { may } = useCaller()
  const list = useRecords(listCalendarFeeds, { query: { unit_id: [unit.id], limit: 100 } })
  const refresh = () => queries.invalidateQueries({ queryKey: [listCalendarFeeds.path] })
  /** A feed that failed is read at once when it becomes active again. */
  const readAgain = async ({ id }: CalendarFeed) => {
    try {
      await api.send(updateCalendarFeed, { path: { id }, body: { status: 'active' } })
    } catch (cause) {
      toast({ message: describe(cause) })
    }
    await refresh()
  }
  return (
    <EditableList
      title={text('feeds')}
      add={text('add')}
      none={text('noFeeds')}
      records={list.records}
      error={list.error}
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
      {(feed) => <FeedRow feed={feed} timeZone={unit.space.timezone} onRead={() => void readAgain(feed)} />}
    </EditableList>
  )
}

interface FeedRowProps {
  feed: CalendarFeed
  timeZone: string
  onRead: () => void
}

const FeedRow = ({ feed, timeZone, onRead }: FeedRowProps) => {
  const text = useMessages(feedMessages)
  const { may } = useCaller()
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
      {feed.error_message && <p className={styles.error}>{feed.error_message}</p>}
      {feed.status === 'error' && (
        <ActionButton
          refusal={may('units:write') ? null : text('mayNot')}
          label={text('readAgainOf', { name: feed.name })}
          onClick={onRead}
        >
          {text('readAgain')}
        </ActionButton>
      )}
      {feed.held && !feed.held.decision && <Link to="/inbox">{text('toInbox')}</Link>}
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

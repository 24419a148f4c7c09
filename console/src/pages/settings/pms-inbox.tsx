import { useMemo } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { listWebhookMessages, replayWebhookMessage } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { SelectField } from '../../components/filters.tsx'
import { withMember } from '../../components/read-search.ts'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Badge } from '../../components/state-badge.tsx'
import { Quoted } from '../../components/sync-error.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { useToast } from '../../components/toast.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useRefreshWhile } from '../../components/use-refresh-while.ts'
import { useTargets } from '../../components/use-targets.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { settingsMessages } from './messages.ts'
import { webhookMessages } from './webhook-messages.ts'
import styles from './settings.module.css'

type Message = contract.WebhookMessage
export const messageStatuses = ['received', 'processed', 'ignored', 'failed'] as const

const route = getRouteApi('/settings/inbox')
const states = {
  received: { badge: 'waiting', word: 'waiting' },
  processed: { badge: 'in-sync', word: 'processed' },
  ignored: { badge: 'paused', word: 'ignored' },
  failed: { badge: 'failed', word: 'failed' },
} as const

/** The messages that PMSs sent, what became of each, and processing one again. */
export const PmsInbox = () => {
  const text = useMessages(webhookMessages)
  const settings = useMessages(settingsMessages)
  const describe = useFailureText()
  const api = useApi()
  const toast = useToast()
  const queries = useQueryClient()
  const { may } = useCaller()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const setFilter = (search: typeof filter) => void navigate({ search, replace: true })
  const list = useRecords(listWebhookMessages, { query: { ...(filter.status && { status: filter.status }) } })
  const targets = useTargets()
  const isWaiting = list.records?.some(({ status }) => status === 'received')
  const refresh = () => queries.invalidateQueries({ queryKey: [listWebhookMessages.path] })
  useRefreshWhile(isWaiting, listWebhookMessages)
  const reason = may('sync:write') ? undefined : text('mayNotSync')
  const columns = useMemo((): Column<Message>[] => {
    const process = (id: string) =>
      api
        .send(replayWebhookMessage, { path: { id } })
        .then(() => toast({ message: text('processDone') }))
        .catch((failure: unknown) => toast({ message: describe(failure) }))
        .then(refresh)
    return [
      {
        id: 'kind',
        header: text('kind'),
        width: 'minmax(120px, 1fr)',
        cell: ({ kind }) => kind,
      },
      {
        id: 'channel',
        header: text('channel'),
        width: 'minmax(120px, 1fr)',
        cell: ({ channel_target_id: id, source }) =>
          targets.find((target) => target.id === id)?.name ?? source,
      },
      {
        id: 'state',
        header: text('state'),
        width: 'minmax(160px, 3fr)',
        cell: ({ status, error_message, copies, signed }) => (
          <span className={styles.state}>
            <Badge state={states[status].badge}>{text(states[status].word)}</Badge>
            {error_message && (
              <span className={styles.bad}>
                <Quoted>{error_message}</Quoted>
              </span>
            )}
            {copies > 1 && <span>{text('copies', { count: copies })}</span>}
            {!signed && <span>{text('unsigned')}</span>}
          </span>
        ),
      },
      {
        id: 'received',
        header: text('received'),
        width: '120px',
        cell: ({ received_at }) => <RelativeTime at={received_at} />,
      },
      {
        id: 'process',
        header: text('process'),
        width: '120px',
        align: 'end',
        phone: 'end',
        cell: ({ id, kind }) => (
          <ActionButton
            refusal={reason ?? null}
            label={`${text('process')}: ${kind}`}
            onClick={() => process(id)}
          >
            {text('process')}
          </ActionButton>
        ),
      },
    ]
  }, [text, targets, reason])
  return (
    <>
      <p className={styles.quiet}>{text('inboxText')}</p>
      <div className={styles.filters}>
        <SelectField
          label={text('state')}
          value={filter.status}
          options={messageStatuses.map((value) => ({ value, label: text(states[value].word) }))}
          onChange={(status) => setFilter(withMember(filter, 'status', status))}
        />
        <SavedViews screen="pms-inbox" filter={filter} onFilter={setFilter} />
      </div>
      <RecordTable
        label={settings('inbox')}
        columns={columns}
        list={list}
        empty={<EmptyState title={text('emptyInbox')}>{text('emptyInboxText')}</EmptyState>}
      />
    </>
  )
}

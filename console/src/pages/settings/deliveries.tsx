import { useMemo, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { getEvent, listWebhookDeliveries, replayWebhookDelivery } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { SelectField } from '../../components/filters.tsx'
import { withMember } from '../../components/read-search.ts'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { SavedViews } from '../../components/saved-views.tsx'
import { Badge } from '../../components/state-badge.tsx'
import { Quoted } from '../../components/sync-error.tsx'
import { useToast } from '../../components/toast.tsx'
import { useRecords } from '../../components/use-records.ts'
import { refreshMs, useRefreshWhile } from '../../components/use-refresh-while.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { webhookMessages } from './webhook-messages.ts'
import styles from './settings.module.css'

type Delivery = contract.WebhookDelivery

const route = getRouteApi('/settings/webhooks/$endpointId')
const badges = { pending: 'waiting', delivered: 'in-sync', failed: 'failed' } as const
const statuses = ['pending', 'delivered', 'failed'] as const

/** Each event that was sent to an endpoint, with its body and the response. */
export const Deliveries = ({ endpointId }: { endpointId: string }) => {
  const text = useMessages(webhookMessages)
  const describe = useFailureText()
  const api = useApi()
  const toast = useToast()
  const queries = useQueryClient()
  const { may } = useCaller()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  const setFilter = (search: typeof filter) => void navigate({ search, replace: true })
  const list = useRecords(listWebhookDeliveries, {
    query: { webhook_endpoint_id: endpointId, ...filter },
  })
  const reason = may('webhooks:write') ? undefined : text('mayNot')
  const refresh = () => queries.invalidateQueries({ queryKey: [listWebhookDeliveries.path] })
  const isWaiting = list.records?.some(isDueSoon)
  useRefreshWhile(isWaiting, listWebhookDeliveries)

  const columns = useMemo((): Column<Delivery>[] => {
    const again = (id: string) =>
      api
        .send(replayWebhookDelivery, { path: { id } })
        .then(() => toast({ message: text('againDone') }))
        .catch((failure: unknown) => toast({ message: describe(failure) }))
        .then(refresh)
    return [
      {
        id: 'event',
        header: text('event'),
        width: 'minmax(150px, 3fr)',
        cell: (delivery) => <DeliveryDetails delivery={delivery} />,
      },
      {
        id: 'state',
        header: text('state'),
        width: 'minmax(110px, 1fr)',
        cell: ({ status: now }) => <Badge state={badges[now]}>{text(now)}</Badge>,
      },
      {
        id: 'answer',
        header: text('answer'),
        width: '72px',
        align: 'end',
        cell: ({ response_status }) => response_status ?? '–',
      },
      {
        id: 'attempts',
        header: text('attempts'),
        width: '104px',
        align: 'end',
        phone: 'hidden',
        cell: ({ attempts }) => attempts,
      },
      {
        id: 'when',
        header: text('when'),
        width: '96px',
        cell: ({ created_at }) => <RelativeTime at={created_at} />,
      },
      {
        id: 'again',
        header: text('again'),
        width: '140px',
        align: 'end',
        phone: 'end',
        cell: ({ id, event_type }) => (
          <ActionButton
            refusal={reason ?? null}
            label={`${text('again')}: ${event_type}`}
            onClick={() => again(id)}
          >
            {text('again')}
          </ActionButton>
        ),
      },
    ]
  }, [text, reason])

  return (
    <section aria-label={text('deliveries')}>
      <div className={styles.head}>
        <h2>{text('deliveries')}</h2>
        <div className={styles.filters}>
          <SelectField
            label={text('state')}
            value={filter.status}
            options={statuses.map((value) => ({ value, label: text(value) }))}
            onChange={(status) => setFilter(withMember(filter, 'status', status))}
          />
          <SavedViews screen="deliveries" filter={filter} onFilter={setFilter} />
        </div>
      </div>
      <RecordTable
        label={text('deliveries')}
        columns={columns}
        list={list}
        empty={<EmptyState title={text('noDeliveries')}>{text('noDeliveriesText')}</EmptyState>}
      />
    </section>
  )
}

const DeliveryDetails = ({ delivery }: { delivery: Delivery }) => {
  const text = useMessages(webhookMessages)
  const format = useFormat()
  const api = useApi()
  const [isOpen, setOpen] = useState(false)
  const { event_type, event_id, response_body, error_message, next_attempt_at } = delivery
  const { data: event, error } = useQuery({
    queryKey: [getEvent.path, event_id],
    queryFn: async ({ signal }) => (await api.send(getEvent, { path: { id: event_id }, signal })).event,
    enabled: isOpen,
    staleTime: Infinity,
  })
  return (
    <details onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
      <summary aria-label={text('detailsOf', { event: event_type })}>{event_type}</summary>
      {isOpen && (
        <div className={styles.payload}>
          {error_message && (
            <p className={styles.bad}>
              <Quoted>{error_message}</Quoted>
            </p>
          )}
          {next_attempt_at && (
            <p className={styles.quiet}>
              {text('nextAttempt', { when: format.timeAgo(next_attempt_at, Date.now()) })}
            </p>
          )}
          <strong>{text('payload')}</strong>
          <pre className={styles.body} tabIndex={0}>
            {error ? '–' : event ? JSON.stringify(sentOf(event), null, 2) : '…'}
          </pre>
          <strong>{text('response')}</strong>
          <pre className={styles.body} tabIndex={0}>
            {response_body || text('noResponse')}
          </pre>
        </div>
      )}
    </details>
  )
}

/** The body of a delivery, as the endpoint received it. */
const sentOf = ({ id, type, occurred_at, data }: contract.Event) => ({
  id,
  type,
  timestamp: occurred_at,
  data,
})

/** An attempt is under way or about to begin; a later retry is not waited for. */
const isDueSoon = ({ status, next_attempt_at: next }: Delivery) =>
  status === 'pending' && (next === null || Date.parse(next) <= Date.now() + 2 * refreshMs)

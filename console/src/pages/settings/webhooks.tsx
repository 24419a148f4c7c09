import { useMemo, useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { createWebhookEndpoint, listWebhookEndpoints } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import type { Column } from '../../components/record-columns.ts'
import { RecordTable } from '../../components/record-table.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Badge } from '../../components/state-badge.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useCaller, useSendOnce } from '../../session/api.tsx'
import { EndpointFields, emptyEndpoint } from './endpoint-fields.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { webhookMessages } from './webhook-messages.ts'
import styles from './settings.module.css'

export type Endpoint = contract.WebhookEndpoint

/** Whether an endpoint receives, in a word. */
export const EndpointState = ({ endpoint }: { endpoint: Endpoint }) => {
  const text = useMessages(webhookMessages)
  const { status, failing_since, disabled_reason } = endpoint
  if (status === 'disabled')
    return (
      <span className={styles.state}>
        <Badge state="paused">{text('disabled')}</Badge>
        {disabled_reason && (
          <span className={styles.bad}>{text(disabled_reason === 'gone' ? 'gone' : 'failingFive')}</span>
        )}
      </span>
    )
  return failing_since ? (
    <Badge state="failed">{text('failing')}</Badge>
  ) : (
    <Badge state="in-sync">{text('active')}</Badge>
  )
}

/** The receivers of what happens here. */
export const Webhooks = () => {
  const text = useMessages(webhookMessages)
  const sendOnce = useSendOnce()
  const queries = useQueryClient()
  const { may } = useCaller()
  const list = useRecords(listWebhookEndpoints)
  const [draft, setDraft] = useState<typeof emptyEndpoint | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const reason = may('webhooks:write') ? undefined : text('mayNot')

  const columns = useMemo(
    (): Column<Endpoint>[] => [
      { id: 'url', header: text('url'), width: 'minmax(200px, 3fr)', cell: ({ url }) => url },
      {
        id: 'events',
        header: text('events'),
        width: 'minmax(130px, 1fr)',
        cell: ({ event_types: types }) =>
          types.includes('*') ? text('allEvents') : text('someEvents', { count: types.length }),
      },
      {
        id: 'state',
        header: text('state'),
        width: 'minmax(120px, 1fr)',
        cell: (endpoint) => <EndpointState endpoint={endpoint} />,
      },
      {
        id: 'last',
        header: text('lastDelivery'),
        width: '120px',
        phone: 'end',
        cell: ({ last_delivery_at: at }) => (at ? <RelativeTime at={at} /> : text('never')),
      },
    ],
    [text],
  )
  const add = (
    <Button
      {...(reason && { disabled: true, title: reason })}
      onClick={() => !reason && setDraft(emptyEndpoint)}
    >
      {text('add')}
    </Button>
  )
  const create = async () => {
    const { webhook_endpoint } = await sendOnce(createWebhookEndpoint, { body: draft ?? emptyEndpoint })
    setSecret(webhook_endpoint.secret)
    void queries.invalidateQueries({ queryKey: [listWebhookEndpoints.path] })
  }
  return (
    <>
      <div className={styles.head}>
        <h2>{text('endpoints')}</h2>
        {add}
      </div>
      <RecordTable
        label={text('endpoints')}
        columns={columns}
        list={list}
        link={({ id }) => ({ to: '/settings/webhooks/$endpointId', params: { endpointId: id } })}
        empty={
          <EmptyState title={text('none')} action={add}>
            {text('noneText')}
          </EmptyState>
        }
      />
      {draft && (
        <ConfirmDialog
          title={text('add')}
          action={text('create')}
          onConfirm={create}
          onClose={() => setDraft(null)}
        >
          <EndpointFields draft={draft} onChange={setDraft} />
        </ConfirmDialog>
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

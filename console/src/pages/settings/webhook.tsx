import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  rotateWebhookEndpointSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { isFirstClick } from '../../components/first-click.ts'
import { FormFrame } from '../../components/form-frame.tsx'
import { DeletedNote, isDeleted, RecordFallback } from '../../components/record-fallback.tsx'
import { differing, pickNamed, useRecordForm } from '../../components/record-form.ts'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller, useSendOnce } from '../../session/api.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointFields } from './endpoint-fields.tsx'
import type { EndpointDraft } from './endpoint-fields.tsx'
import { ReplayPeriod } from './replay-period.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { webhookMessages } from './webhook-messages.ts'
import { EndpointState } from './webhooks.tsx'
import styles from './settings.module.css'

const route = getRouteApi('/settings/webhooks/$endpointId')

/** One receiver: its events, its secret, and every delivery. */
export const Webhook = () => {
  const text = useMessages(webhookMessages)
  const describe = useFailureText()
  const api = useApi()
  const sendOnce = useSendOnce()
  const toast = useToast()
  const navigate = useNavigateIfShown()
  const queries = useQueryClient()
  const { may } = useCaller()
  const { endpointId: id } = route.useParams()
  const [asked, setAsked] = useState<'rotate' | 'remove' | 'period' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [running, setRunning] = useState<'test' | 'switch' | 'rotate' | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: [getWebhookEndpoint.path, id],
    queryFn: ({ signal }) => api.request(getWebhookEndpoint, { path: { id }, signal }),
  })
  const back = (
    <p className={styles.quiet}>
      <Link to="/settings/webhooks" className={styles.back}>
        {text('back')}
      </Link>
    </p>
  )
  // What is being typed stays when the endpoint cannot be read again.
  if (!data)
    return (
      <>
        {back}
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      </>
    )
  const endpoint = data.data.webhook_endpoint

  const refresh = () =>
    Promise.all(
      [getWebhookEndpoint, listWebhookEndpoints, listWebhookDeliveries].map(({ path }) =>
        queries.invalidateQueries({ queryKey: [path] }),
      ),
    )
  const attempt = async (name: 'test' | 'switch', work: () => Promise<unknown>, message?: string) => {
    setRunning(name)
    try {
      await work()
      if (message) toast({ message })
      await refresh()
    } catch (cause) {
      toast({ message: describe(cause) })
    }
    setRunning(null)
  }
  const isOff = endpoint.status === 'disabled'
  const change = (body: contract.WebhookEndpointPatch, ifMatch: string | null = null) =>
    api.send(updateWebhookEndpoint, { path: { id }, body, ifMatch })
  const rotate = async () => {
    setRunning('rotate')
    try {
      // The secret before the last one signs no more, so that two new ones would end the one that the receiver has.
      const reply = await sendOnce(rotateWebhookEndpointSecret, { path: { id } })
      setSecret(reply.webhook_endpoint.secret)
    } finally {
      setRunning(null)
    }
  }
  const remove = async () => {
    await api.send(deleteWebhookEndpoint, { path: { id } })
    await navigate({ to: '/settings/webhooks', ignoreBlocker: true })
    toast({ message: text('removed') })
    await queries.invalidateQueries({ queryKey: [listWebhookEndpoints.path] })
  }
  const reason = may('webhooks:write') ? undefined : text('mayNot')
  const shared = { variant: 'default', disabled: reason !== undefined, title: reason } as const
  const sending = isOff ? { ...shared, disabled: true, title: reason ?? text('isOff') } : shared
  return (
    <>
      {back}
      <DeletedNote error={error} />
      <div className={styles.head}>
        <h2>{endpoint.url}</h2>
        <EndpointState endpoint={endpoint} />
      </div>
      <div className={styles.bar} hidden={isDeleted(error)}>
        <Button
          {...sending}
          loading={running === 'test'}
          onClick={() =>
            void attempt('test', () => api.send(testWebhookEndpoint, { path: { id } }), text('tested'))
          }
        >
          {text('test')}
        </Button>
        <Button {...sending} onClick={() => setAsked('period')}>
          {text('period')}
        </Button>
        <Button {...shared} onClick={() => setAsked('rotate')}>
          {text('rotate')}
        </Button>
        <Button
          {...shared}
          loading={running === 'switch'}
          onClick={(click) =>
            isFirstClick(click) &&
            void attempt('switch', () => change({ status: isOff ? 'active' : 'disabled' }))
          }
        >
          {text(isOff ? 'enable' : 'disable')}
        </Button>
        <Button {...shared} onClick={() => setAsked('remove')}>
          {text('remove')}
        </Button>
      </div>
      <Section title={text('details')}>
        <Details endpoint={endpoint} etag={data.etag} refusal={reason} onSave={change} onSaved={refresh} />
      </Section>
      <Deliveries endpointId={id} />
      <UnsavedChanges isDirty={running === 'rotate'} />
      {asked === 'rotate' && (
        <ConfirmDialog
          title={text('rotateTitle')}
          action={text('rotate')}
          onConfirm={rotate}
          onClose={() => setAsked(null)}
        >
          {text('rotateText')}
        </ConfirmDialog>
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          isDangerous
          title={text('removeTitle')}
          action={text('remove')}
          typed={text('removeWord')}
          onConfirm={remove}
          onClose={() => setAsked(null)}
        >
          {text('removeText')}
        </ConfirmDialog>
      )}
      {asked === 'period' && <ReplayPeriod endpointId={id} onClose={() => setAsked(null)} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  )
}

interface DetailsProps {
  endpoint: contract.WebhookEndpoint
  etag: string | null
  /** Why the person may not change this. */
  refusal: string | undefined
  onSave: (change: contract.WebhookEndpointPatch, etag: string | null) => Promise<unknown>
  onSaved: () => Promise<unknown>
}

const Details = ({ endpoint, etag, refusal, onSave, onSaved }: DetailsProps) => {
  const form = useRecordForm({
    current: {
      url: endpoint.url,
      description: endpoint.description ?? '',
      event_types: endpoint.event_types.join(),
    },
    etag,
    refresh: onSaved,
    save: (draft, changed, ifMatch) => onSave(pickNamed(toEndpoint(draft), changed), ifMatch),
  })
  return (
    // What is wrong with the types of events is shown at the button: they are many.
    <FormFrame form={{ ...form, fields: ['url', 'description'] }} refusal={refusal}>
      <EndpointFields
        draft={toEndpoint(form.draft)}
        faultOf={form.faultOf}
        onChange={(next) =>
          form.change(differing({ ...next, event_types: next.event_types.join() }, form.draft))
        }
      />
    </FormFrame>
  )
}

/** The types of events are one text in the form. */
const toEndpoint = (draft: Record<keyof EndpointDraft, string>): EndpointDraft => ({
  ...draft,
  event_types: draft.event_types.split(',').filter(Boolean) as EndpointDraft['event_types'],
})

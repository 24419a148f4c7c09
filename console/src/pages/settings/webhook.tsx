import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookDeliveries,
  listWebhookEndpoints,
  rotateWebhookEndpointSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { Section } from '../../components/section.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
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
  const toast = useToast()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { may } = useCaller()
  const { endpointId: id } = route.useParams()
  const [draft, setDraft] = useState<EndpointDraft | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [asked, setAsked] = useState<'rotate' | 'remove' | 'period' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const {
    data: endpoint,
    error,
    refetch,
  } = useQuery({
    queryKey: [getWebhookEndpoint.path, id],
    queryFn: async ({ signal }) =>
      (await api.send(getWebhookEndpoint, { path: { id }, signal })).webhook_endpoint,
  })
  if (error) return <ProblemNote failure={error} onRetry={() => void refetch()} />
  if (!endpoint) return <TableSkeleton />

  const refresh = () =>
    Promise.all(
      [getWebhookEndpoint, listWebhookEndpoints, listWebhookDeliveries].map(({ path }) =>
        queries.invalidateQueries({ queryKey: [path] }),
      ),
    )
  const attempt = async (work: () => Promise<unknown>, message?: string) => {
    try {
      await work()
      if (message) toast({ message })
      await refresh()
    } catch (cause) {
      toast({ message: describe(cause) })
    }
  }
  const isOff = endpoint.status === 'disabled'
  const change = (body: Partial<EndpointDraft> & { status?: 'active' | 'disabled' }) =>
    api.send(updateWebhookEndpoint, { path: { id }, body })
  const save = async () => {
    setFailure(null)
    try {
      await change(draft ?? {})
      setDraft(null)
      await refresh()
    } catch (cause) {
      setFailure(cause)
    }
  }
  const rotate = async () => {
    const reply = await api.send(rotateWebhookEndpointSecret, { path: { id } })
    setSecret(reply.webhook_endpoint.secret)
  }
  const remove = async () => {
    await api.send(deleteWebhookEndpoint, { path: { id } })
    await navigate({ to: '/settings/webhooks' })
    toast({ message: text('removed') })
    await queries.invalidateQueries({ queryKey: [listWebhookEndpoints.path] })
  }
  const reason = may('webhooks:write') ? undefined : text('mayNot')
  const shared = { variant: 'default', disabled: reason !== undefined, title: reason } as const
  const fields: EndpointDraft = draft ?? {
    url: endpoint.url,
    description: endpoint.description ?? '',
    event_types: endpoint.event_types,
  }
  return (
    <>
      <p className={styles.quiet}>
        <Link to="/settings/webhooks" className={styles.back}>
          {text('back')}
        </Link>
      </p>
      <div className={styles.head}>
        <h2>{endpoint.url}</h2>
        <EndpointState endpoint={endpoint} />
      </div>
      <div className={styles.bar}>
        <Button
          {...shared}
          disabled={shared.disabled || isOff}
          onClick={() => void attempt(() => api.send(testWebhookEndpoint, { path: { id } }), text('tested'))}
        >
          {text('test')}
        </Button>
        <Button {...shared} disabled={shared.disabled || isOff} onClick={() => setAsked('period')}>
          {text('period')}
        </Button>
        <Button {...shared} onClick={() => setAsked('rotate')}>
          {text('rotate')}
        </Button>
        <Button
          {...shared}
          onClick={() => void attempt(() => change({ status: isOff ? 'active' : 'disabled' }))}
        >
          {text(isOff ? 'enable' : 'disable')}
        </Button>
        <Button {...shared} onClick={() => setAsked('remove')}>
          {text('remove')}
        </Button>
      </div>
      <Section title={text('details')}>
        <EndpointFields draft={fields} onChange={setDraft} />
        <ProblemNote failure={failure} />
        {draft && (
          <Button disabled={reason !== undefined} title={reason} onClick={() => void save()}>
            {text('save')}
          </Button>
        )}
      </Section>
      <Deliveries endpointId={id} />
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

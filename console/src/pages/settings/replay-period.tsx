import { useState } from 'react'
import { NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { listWebhookDeliveries, replayWebhookEndpoint } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useSendOnce } from '../../session/api.tsx'
import { webhookMessages } from './webhook-messages.ts'
import styles from './settings.module.css'

const hourMs = 3_600_000

/** What an input of the type `datetime-local` shows of a moment. */
const localInput = (at: number) => {
  const date = new Date(at)
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Sends the events of a period again, such as those of an outage of the receiver. */
export const ReplayPeriod = ({ endpointId, onClose }: { endpointId: string; onClose: () => void }) => {
  const text = useMessages(webhookMessages)
  const sendOnce = useSendOnce()
  const toast = useToast()
  const queries = useQueryClient()
  const [from, setFrom] = useState(() => localInput(Date.now() - 24 * hourMs))
  const [to, setTo] = useState(() => localInput(Date.now() + hourMs))
  const [status, setStatus] = useState('failed')
  const send = async () => {
    const { webhook_replay } = await sendOnce(replayWebhookEndpoint, {
      path: { id: endpointId },
      body: {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        ...(status && { status: status as 'missing' | 'failed' | 'delivered' }),
      },
    })
    toast({ message: text('periodDone', { count: webhook_replay.queued }) })
    await queries.invalidateQueries({ queryKey: [listWebhookDeliveries.path] })
  }
  return (
    <ConfirmDialog
      title={text('period')}
      action={text('again')}
      isReady={from !== '' && to !== ''}
      onConfirm={send}
      onClose={onClose}
    >
      <div className={styles.form}>
        <TextInput
          type="datetime-local"
          label={text('from')}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label={text('to')}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <NativeSelect
          label={text('which')}
          value={status}
          data={[
            { value: 'failed', label: text('failedOnes') },
            { value: 'missing', label: text('missing') },
            { value: 'delivered', label: text('deliveredOnes') },
            { value: '', label: text('allOnes') },
          ]}
          onChange={(event) => setStatus(event.currentTarget.value)}
        />
      </div>
    </ConfirmDialog>
  )
}

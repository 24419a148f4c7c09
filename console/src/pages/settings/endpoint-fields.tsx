import { TextInput } from '@mantine/core'
import type { contract } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { webhookMessages } from './webhook-messages.ts'
import styles from './settings.module.css'

type EventType = contract.WebhookEndpointInput['event_types'][number]

export interface EndpointDraft {
  url: string
  description: string
  event_types: EventType[]
}

export const emptyEndpoint: EndpointDraft = { url: '', description: '', event_types: ['*'] }

const eventTypes: readonly EventType[] = [
  'booking.created',
  'booking.updated',
  'booking.cancelled',
  'booking.conflict',
  'payment.succeeded',
  'payment.failed',
  'payment.refunded',
  'unit.created',
  'unit.updated',
  'unit.deleted',
  'space.created',
  'space.updated',
  'space.deleted',
  'sync.completed',
  'sync.failed',
  'listing.stale',
  'target.error',
  'calendar_feed.held',
  'webhook.disabled',
]

interface EndpointFieldsProps {
  draft: EndpointDraft
  onChange: (draft: EndpointDraft) => void
}

/** The address of a receiver, and the types of its events. */
export const EndpointFields = ({ draft, onChange }: EndpointFieldsProps) => {
  const text = useMessages(webhookMessages)
  const isAll = draft.event_types.includes('*')
  const toggle = (type: EventType, isOn: boolean) =>
    onChange({
      ...draft,
      event_types: isOn ? [...draft.event_types, type] : draft.event_types.filter((one) => one !== type),
    })
  return (
    <div className={styles.form}>
      <TextInput
        data-autofocus
        label={text('url')}
        description={text('urlHint')}
        placeholder="https://"
        type="url"
        autoComplete="off"
        value={draft.url}
        onChange={(event) => onChange({ ...draft, url: event.currentTarget.value })}
      />
      <TextInput
        label={text('description')}
        maxLength={255}
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
      />
      <fieldset className={styles.types}>
        <legend>{text('events')}</legend>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={isAll}
            onChange={(event) =>
              onChange({ ...draft, event_types: event.currentTarget.checked ? ['*'] : ['booking.created'] })
            }
          />
          {text('allEvents')}
        </label>
        {!isAll &&
          eventTypes.map((type) => (
            <label key={type} className={styles.check}>
              <input
                type="checkbox"
                checked={draft.event_types.includes(type)}
                onChange={(event) => toggle(type, event.currentTarget.checked)}
              />
              {type}
            </label>
          ))}
      </fieldset>
    </div>
  )
}

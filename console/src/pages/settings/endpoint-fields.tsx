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

/** Written as a record, so that a type which the API has and this list lacks does not compile. */
const typesOfEvents: Record<Exclude<EventType, '*'>, true> = {
  'booking.created': true,
  'booking.updated': true,
  'booking.cancelled': true,
  'booking.deleted': true,
  'booking.conflict': true,
  'conflict.opened': true,
  'conflict.resolved': true,
  'conflict.dismissed': true,
  'quote.created': true,
  'payment.succeeded': true,
  'payment.failed': true,
  'payment.refunded': true,
  'payment.disputed': true,
  'refund.failed': true,
  'unit.created': true,
  'unit.updated': true,
  'unit.deleted': true,
  'space.created': true,
  'space.updated': true,
  'space.deleted': true,
  'rate_plan.created': true,
  'rate_plan.updated': true,
  'rate_plan.deleted': true,
  'calendar.updated': true,
  'calendar_feed.held': true,
  'calendar_feed.error': true,
  'listing.created': true,
  'listing.updated': true,
  'listing.deleted': true,
  'listing.stale': true,
  'target.created': true,
  'target.updated': true,
  'target.deleted': true,
  'target.error': true,
  'sync.completed': true,
  'sync.failed': true,
  'alert.resolved': true,
  'webhook.disabled': true,
}
const eventTypes = Object.keys(typesOfEvents) as EventType[]

interface EndpointFieldsProps {
  draft: EndpointDraft
  /** The fault of a field, where the form shows it there. */
  faultOf?: (name: 'url' | 'description') => string | undefined
  onChange: (draft: EndpointDraft) => void
}

/** The address of a receiver, and the types of its events. */
export const EndpointFields = ({ draft, faultOf, onChange }: EndpointFieldsProps) => {
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
        error={faultOf?.('url')}
        onChange={(event) => onChange({ ...draft, url: event.currentTarget.value })}
      />
      <TextInput
        label={text('description')}
        maxLength={255}
        value={draft.description}
        error={faultOf?.('description')}
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

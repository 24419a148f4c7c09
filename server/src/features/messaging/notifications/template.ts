import type { LocaleFormat } from './locale-format.ts'
import type { Language } from '#schema/language.ts'

/** The content of a message, before it is rendered as e-mail or SMS. All of it is plain text. */
export interface Message extends MessageText {
  /** Shown line by line below the paragraphs. */
  readonly facts: readonly Fact[]
}

export type Fact = readonly [label: string, value: string]

export interface MessageText {
  readonly subject: string
  readonly heading: string
  readonly paragraphs: readonly string[]
  /** The SMS: one or two sentences. */
  readonly short: string
}

export type Tone = 'good' | 'plain' | 'bad'

export type ListFacts<Data> = (language: Language, data: Data, format: LocaleFormat) => readonly Fact[]
export type WriteText<Data> = (data: Data, format: LocaleFormat) => MessageText

/** One kind of notification for one audience, in every language. */
export interface Template<Data> {
  readonly tone: Tone
  readonly facts: ListFacts<Data>
  readonly texts: Readonly<Record<Language, WriteText<Data>>>
}

/** The data of a template. It is stored with the notification. */
export interface BookingData {
  readonly organization: string
  readonly guestName: string
  readonly unitName: string
  readonly spaceName: string
  readonly address: string | null
  /** Dates in the time zone of the space. */
  readonly checkIn: string
  readonly checkOut: string
  readonly guests: number
  readonly rooms: number
  readonly totalCents: number | null
  readonly currency: string
  readonly bookingId: string
  readonly status: string
}

export interface PaymentData {
  readonly organization: string
  readonly guestName: string | null
  readonly unitName: string | null
  readonly bookingId: string | null
  readonly amountCents: number
  readonly currency: string
}

export interface DisputeData extends PaymentData {
  readonly status: 'inquiry' | 'open' | 'lost' | 'won'
  /** The code of the payment provider. */
  readonly reason: string
  /** Null when no response is expected. */
  readonly respondBy: string | null
}

export interface AlertData {
  readonly organization: string
  readonly unitName: string | null
  readonly spaceName: string | null
  /** The channel target, or the webhook endpoint. */
  readonly targetName: string | null
  /** The message and hint of the alert, in English. */
  readonly message: string
  readonly hint: string
  readonly since: string
}

/** A test message in the words of its sender. */
export interface TestData {
  readonly organization: string
  readonly subject: string
  readonly body: string
}

export type TemplateData = BookingData | PaymentData | DisputeData | AlertData | TestData

/** The webhook endpoint in an event that it was disabled. */
export interface EventEndpoint {
  url: string
  description: string | null
  disabled_reason: 'gone' | 'failing'
  failing_since: string
}

/** Names the endpoint by its description, else by its host only, because the URL may contain a secret. */
export function endpointData(organization: string, endpoint: EventEndpoint): AlertData {
  const { url, description, disabled_reason, failing_since } = endpoint
  const name = description?.trim() || new URL(url).host
  return {
    organization,
    unitName: null,
    spaceName: null,
    targetName: name,
    message: `${name} ${causes[disabled_reason]}`,
    hint: hints[disabled_reason],
    since: failing_since,
  }
}

const causes = {
  gone: 'answered with 410 (Gone), so it accepts no more events.',
  failing: 'has failed every delivery for five days.',
}

const reactivate = 'set the endpoint to active and replay the events that it missed.'
const hints = {
  gone: `Ask the partner whether this is intended. If not, ${reactivate}`,
  failing: `Ask the partner to fix the endpoint. When it works again, ${reactivate}`,
}

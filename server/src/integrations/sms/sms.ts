/** The port to the SMS provider. */
export interface Sms {
  /** Whether an SMS account is configured. */
  readonly isConfigured: boolean
  /** @throws DeliveryError */
  send(message: TextMessage): Promise<SendResult>
}

export interface TextMessage {
  /** E.164, such as +351912345678. */
  readonly to: string
  readonly body: string
  /** Set for a repeated attempt: a message that was sent since then is returned instead of sending another. */
  readonly sentSince: Date | null
}

interface SendResult {
  /** The id of the message at the provider. */
  readonly providerId: string
}

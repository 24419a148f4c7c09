/** The port to the mail server. */
export interface Mail {
  /** Whether a mail server is configured. */
  readonly isConfigured: boolean
  /** @throws DeliveryError */
  send(message: MailMessage): Promise<SendResult>
  /** Connects and signs in, and sends nothing. @throws DeliveryError */
  verify(): Promise<void>
  close(): void
}

export interface MailMessage {
  /** One address without a display name. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Without angle brackets. Equal for all attempts, so that the receiver can recognize a repetition. */
  readonly messageId: string
}

interface SendResult {
  /** The id of the message at the server. */
  readonly providerId: string
}

/** Text messages, in our words. Failures are `Undelivered`. */
export interface Sms {
  /** Whether this installation can send any. */
  readonly isConfigured: boolean
  /** @throws Undelivered */
  send(text: Text): Promise<Sent>
}

export interface Text {
  /** E.164, such as +351912345678. */
  readonly to: string
  readonly body: string
  /** When it was decided, if an earlier try may have arrived unseen: then it is looked for before it is sent. */
  readonly triedSince: Date | null
}

export interface Sent {
  /** What the other side calls it. */
  readonly providerId: string
}

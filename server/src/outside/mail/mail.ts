/** Mail, in our words. Failures are `Undelivered`. */
export interface Mail {
  /** Whether this installation can send any. */
  readonly isConfigured: boolean
  /** @throws Undelivered */
  send(letter: Letter): Promise<Sent>
  /** Whether the server answers; true when none is configured. */
  reachable(): Promise<boolean>
  close(): void
}

export interface Letter {
  /** One bare address. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Names the letter, the same at every try, so that a repetition can be told. Without the angle brackets. */
  readonly messageId: string
}

export interface Sent {
  /** What the other side calls it. */
  readonly providerId: string
}

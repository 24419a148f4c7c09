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

/** Exactly one address, written plainly: no name beside it, no comment, no second address, no way to route on. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && new RegExp(mailAddressPattern).test(text)

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const atom = "[A-Za-z0-9#$&'*+/=?^_`{|}~-]+"
export const mailAddressPattern = `^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${label}$`

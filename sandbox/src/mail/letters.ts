import { randomUUID } from 'node:crypto'
import PostalMime from 'postal-mime'

/** What a person would have got: a mail or an SMS. */
export interface Message {
  id: string
  channel: 'email' | 'sms'
  from: string
  to: string[]
  subject: string | null
  text: string | null
  html: string | null
  headers: { name: string; value: string }[]
  message_id: string | null
  at: string
}

const mostKept = 500

/** The last five hundred messages, the newest first. */
export function openTray() {
  let kept: Message[] = []
  return {
    put: (message: Omit<Message, 'id' | 'at'>): Message => {
      const whole = { id: randomUUID(), at: new Date().toISOString(), ...message }
      kept = [whole, ...kept].slice(0, mostKept)
      return whole
    },
    all: (): readonly Message[] => kept,
    find: (id: string) => kept.find((message) => message.id === id),
    clear: () => void (kept = []),
  }
}
export type Tray = ReturnType<typeof openTray>

/** Reads a mail as a mail program does. Who it went to is what the envelope said. */
export async function readLetter(
  raw: Buffer,
  envelope: { from: string; to: string[] },
): Promise<Omit<Message, 'id' | 'at'>> {
  const mail = await PostalMime.parse(raw)
  return {
    channel: 'email',
    from: mail.from?.name
      ? `${mail.from.name} <${mail.from.address}>`
      : (mail.from?.address ?? envelope.from),
    to: envelope.to,
    subject: mail.subject ?? '',
    text: mail.text ?? null,
    html: mail.html ?? null,
    headers: mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    message_id: mail.messageId ?? null,
  }
}

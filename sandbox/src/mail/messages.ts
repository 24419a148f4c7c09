import { randomUUID } from 'node:crypto'
import PostalMime from 'postal-mime'

/** A mail or an SMS that a person would have received. */
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

const maxMessages = 500

/** The last 500 messages, the newest first. */
export function openInbox() {
  let kept: Message[] = []
  return {
    add: (message: Omit<Message, 'id' | 'at'>): Message => {
      const stored = { id: randomUUID(), at: new Date().toISOString(), ...message }
      kept = [stored, ...kept].slice(0, maxMessages)
      return stored
    },
    all: (): readonly Message[] => kept,
    find: (id: string) => kept.find((message) => message.id === id),
    clear: () => void (kept = []),
  }
}
export type Inbox = ReturnType<typeof openInbox>

/** Parses a mail. The recipients are those of the envelope. */
export async function parseMessage(
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

import { oneOf, readSearch, text } from '../../components/read-search.ts'

export const inboxParts = ['conflicts', 'failures', 'alerts'] as const
export type InboxPart = (typeof inboxParts)[number]

/** Which part of the inbox is shown, of which PMS, and what is unfolded. */
export const readInboxFilter = readSearch({ show: oneOf(inboxParts), target: text, open: text })

export type InboxFilter = ReturnType<typeof readInboxFilter>

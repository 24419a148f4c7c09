/** How a guest is reached, and what was noted of them: not for everybody who may see that somebody stays. */
const members = ['guestEmail', 'guestPhone', 'notes', 'pms_notes']

/** A booking for a reader who is not shown them: the members are null. */
export function withoutContacts(booking: string): string {
  const record = JSON.parse(booking) as Record<string, unknown>
  for (const member of members) if (member in record) record[member] = null
  return JSON.stringify(record)
}

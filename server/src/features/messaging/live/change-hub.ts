import { mergeChanges, type ChangedRecords } from '#features/messaging/events/changed-records.ts'

/**
 * Publishes changes of records by all processes: one listener on the database, shared by all streams. Changes of an
 * organization are sent together, at most once per interval, so that a thousand writes are not a thousand messages.
 */
export interface ChangeHub {
  /** Publishes the changes of the organization to a subscriber. Returns a function that unsubscribes. */
  follow(orgId: string, follower: ChangeFollower): () => void
  /** Handles a notification of the `changes` channel. */
  notified(payload: string): void
}

/** A client that has received the changes has missed nothing before `place`. */
export type ChangeFollower = (changes: ChangedRecords, place: string) => void

const minIntervalMs = 250

interface Followed {
  readonly followers: Set<ChangeFollower>
  waiting: ChangedRecords[]
  place: string
  timer: NodeJS.Timeout | undefined
}

export function createChangeHub(): ChangeHub {
  const organizations = new Map<string, Followed>()

  /** The first change is sent at once, those soon after it together. */
  function publish(organization: Followed): void {
    organization.timer = undefined
    if (organization.waiting.length === 0) return
    const changes = mergeChanges(organization.waiting)
    organization.waiting = []
    for (const follower of organization.followers) follower(changes, organization.place)
    organization.timer = setTimeout(publish, minIntervalMs, organization).unref()
  }

  return {
    follow(orgId, follower) {
      const organization = organizations.get(orgId) ?? {
        ...{ followers: new Set(), waiting: [], place: '0', timer: undefined },
      }
      organizations.set(orgId, organization)
      organization.followers.add(follower)
      return () => {
        organization.followers.delete(follower)
        if (organization.followers.size > 0 || organizations.get(orgId) !== organization) return
        clearTimeout(organization.timer)
        organizations.delete(orgId)
      }
    },
    notified(payload) {
      const [orgId, place, changes] = split(payload)
      const organization = organizations.get(orgId)
      if (!organization) return
      organization.waiting.push(JSON.parse(changes) as ChangedRecords)
      organization.place = place
      if (!organization.timer) publish(organization)
    },
  }
}

/** `<organization> <place> <JSON>`, which may contain blanks. */
function split(payload: string): [string, string, string] {
  const afterOrg = payload.indexOf(' ')
  const afterPlace = payload.indexOf(' ', afterOrg + 1)
  return [payload.slice(0, afterOrg), payload.slice(afterOrg + 1, afterPlace), payload.slice(afterPlace + 1)]
}

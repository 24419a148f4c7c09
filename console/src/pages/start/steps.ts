import type { Today } from '../../live/today.ts'
import type { Permission } from '../../session/api.tsx'

export const steps = ['units', 'connect', 'link', 'sync'] as const
export type Step = (typeof steps)[number]

/** The member of the setup that says whether a step is done. */
const members = {
  units: 'units',
  connect: 'channel_targets',
  link: 'channel_listings',
  sync: 'synced',
} as const satisfies Record<Step, keyof Today['setup']>

export const isDone = (setup: Today['setup'], step: Step): boolean => setup[members[step]]

export const countDone = (setup: Today['setup']): number => steps.filter((step) => isDone(setup, step)).length

export const permissions: Record<Step, Permission> = {
  units: 'units:write',
  connect: 'channel_targets:write',
  link: 'channel_listings:write',
  sync: 'channel_listings:write',
}

/** The step that has to be done first, or null. */
export const missingBefore = (setup: Today['setup'], step: Step): Step | null =>
  prerequisites[step].find((one) => !isDone(setup, one)) ?? null

const prerequisites: Record<Step, readonly Step[]> = {
  units: [],
  connect: [],
  link: ['units', 'connect'],
  sync: ['link'],
}

/** Where a step is done, and where its result is seen afterwards. The channel is the one that was connected first. */
export const addressOf = (step: Step, channelId: string | undefined, done: boolean): string => {
  const channel = channelId ? `/channels/${channelId}` : '/channels'
  const link = channelId ? `${channel}/link` : '/channels'
  const addresses: Record<Step, [todo: string, done: string]> = {
    units: ['/units/new', '/units'],
    connect: ['/channels/new', '/channels'],
    link: [link, channel],
    sync: [link, '/units'],
  }
  return addresses[step][done ? 1 : 0]
}

import { useMemo } from 'react'
import type { Space, Unit } from '@vacancy/client'

import { useTargets } from '../../components/use-targets.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useInventory } from '../portfolio/use-portfolio-records.ts'
import { bookingMessages } from './booking-messages.ts'
import type { Source } from './filter.ts'

const noSpaces: Space[] = []
const noUnits: Unit[] = []

/** What bookings refer to: units, their spaces, and the targets that sell them. */
export const usePlaces = () => {
  const { targets, channelOf } = useChannelOf()
  const { spaces: spaceQuery, units: unitQuery } = useInventory()
  const spaces = spaceQuery.data ?? noSpaces
  const units = unitQuery.data ?? noUnits
  const unitById = useMemo(() => new Map(units.map((unit) => [unit.id, unit])), [units])
  const spaceById = useMemo(() => new Map(spaces.map((space) => [space.id, space])), [spaces])
  return {
    spaces,
    units,
    targets,
    unitOf: (id: string) => unitById.get(id),
    spaceOf: (id: string) => spaceById.get(id),
    channelOf,
  }
}

export const useChannelOf = () => {
  const text = useMessages(bookingMessages)
  const targets = useTargets()
  return {
    targets,
    /** Where a booking was made, in a word. */
    channelOf: ({ source, channelTargetId }: { source: Source; channelTargetId: string | null }) =>
      targets.find(({ id }) => id === channelTargetId)?.name ?? text(source),
  }
}

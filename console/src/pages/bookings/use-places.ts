import { useMemo } from 'react'
import type { Space } from '@vacancy/client'

import { useTargets } from '../../components/use-targets.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useSpaces } from '../portfolio/use-portfolio-records.ts'
import { bookingMessages } from './booking-messages.ts'
import type { Source } from './filter.ts'

const noSpaces: Space[] = []

/** What bookings refer to beside their units: spaces, and the targets that sell them. */
export const usePlaces = () => {
  const { targets, channelOf } = useChannelOf()
  const spaces = useSpaces().data ?? noSpaces
  const spaceById = useMemo(() => new Map(spaces.map((space) => [space.id, space])), [spaces])
  return {
    spaces,
    targets,
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

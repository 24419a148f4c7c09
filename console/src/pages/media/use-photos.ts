import { useQuery, useQueryClient } from '@tanstack/react-query'
import { listMedia } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'

export type Media = contract.Media

/** Where photos belong: to a unit, or to its whole space. */
export interface PhotoPlace {
  spaceId: string
  unitId: string | null
}

/** The photos of a unit or space in their order, and how the list is changed before the API has answered. */
export const usePhotos = ({ spaceId, unitId }: PhotoPlace) => {
  const api = useApi()
  const queries = useQueryClient()
  const queryKey = [listMedia.path, spaceId, unitId]
  const { data: photos, error } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const found: Media[] = []
      const query = {
        property_id: [spaceId],
        sort: 'position',
        ...(unitId && { unit_id: [unitId] }),
      } as const
      for await (const one of api.listAll(listMedia, {
        query: { ...query, property_id: [...query.property_id] },
        signal,
      }))
        if (one.unit_id === unitId) found.push(one)
      return found
    },
  })
  return {
    photos,
    error,
    show: (next: Media[]) => {
      // A list that is being read may be as it was before.
      void queries.cancelQueries({ queryKey })
      queries.setQueryData(queryKey, next)
    },
    refresh: () => queries.invalidateQueries({ queryKey }),
  }
}

/** The list with one photo at another place. */
export const moved = (photos: readonly Media[], from: number, to: number): Media[] => {
  const next = photos.toSpliced(from, 1)
  const photo = photos[from]
  return photo ? next.toSpliced(to, 0, photo) : next
}

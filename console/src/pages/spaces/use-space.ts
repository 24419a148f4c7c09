import { useQuery } from '@tanstack/react-query'
import { getSpace, listUnits } from '@vacancy/client'

import { useRecords } from '../../components/use-records.ts'
import { useApi } from '../../session/api.tsx'

/** A space with the entity tag that a change of it names. */
export const useSpace = (id: string, isEnabled = true) => {
  const api = useApi()
  return useQuery({
    queryKey: [getSpace.path, 'with-tag', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.request(getSpace, { path: { id }, signal })
      return { space: data.space, etag }
    },
    enabled: isEnabled,
  })
}

export const useUnitsOf = (spaceId: string) =>
  useRecords(listUnits, { query: { space_id: [spaceId], sort: 'name' } })

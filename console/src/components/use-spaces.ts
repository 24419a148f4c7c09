import { useQuery } from '@tanstack/react-query'
import { listSpaces } from '@vacancy/client'

import { useApi } from '../session/api.tsx'

/** The spaces of the organization, for a filter and for the zones of its properties. */
export const useSpaces = (isEnabled = true) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [listSpaces.path, 'all'],
    queryFn: async ({ signal }) => {
      const found = []
      for await (const space of api.listAll(listSpaces, { query: { sort: 'name' }, signal }))
        found.push(space)
      return found
    },
    enabled: isEnabled,
    staleTime: 300_000,
  })
  return data ?? []
}

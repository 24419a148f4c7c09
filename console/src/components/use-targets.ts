import { useQuery } from '@tanstack/react-query'
import { listChannelTargets } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { useApi, useCaller } from '../session/api.tsx'

const noTargets: ChannelTarget[] = []

/** The channel targets of the organization by name, for a filter and for their names; none without the permission. */
export const useTargets = (): ChannelTarget[] => {
  const { may } = useCaller()
  return useTargetsQuery(may('channel_targets:read')).data ?? noTargets
}

/** The same, where targets that are not read yet differ from none. */
export const useTargetsQuery = (isEnabled = true) => {
  const api = useApi()
  return useQuery({
    queryKey: [listChannelTargets.path, 'all'],
    queryFn: async ({ signal }) => {
      const found = []
      for await (const target of api.listAll(listChannelTargets, { query: { sort: 'name' }, signal }))
        found.push(target)
      return found
    },
    enabled: isEnabled,
  })
}

import { useQuery } from '@tanstack/react-query'
import { listChannelTargets } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { useApi, useCaller } from '../session/api.tsx'

const noTargets: ChannelTarget[] = []

/** The channel targets of the organization by name, for a filter and for their names; none without the permission. */
export const useTargets = (): ChannelTarget[] => {
  const api = useApi()
  const { may } = useCaller()
  const { data } = useQuery({
    queryKey: [listChannelTargets.path, 'all'],
    queryFn: async ({ signal }) => {
      const found = []
      for await (const target of api.listAll(listChannelTargets, { query: { sort: 'name' }, signal }))
        found.push(target)
      return found
    },
    enabled: may('channel_targets:read'),
  })
  return data ?? noTargets
}

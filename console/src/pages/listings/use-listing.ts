import { useQuery } from '@tanstack/react-query'
import { getChannelListing } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'

export const useListing = (listingId: string) => {
  const api = useApi()
  return useQuery<ChannelListing>({
    queryKey: [getChannelListing.path, listingId],
    queryFn: async ({ signal }) => {
      const reply = await api.send(getChannelListing, { path: { id: listingId }, signal })
      return reply.channel_listing
    },
  })
}

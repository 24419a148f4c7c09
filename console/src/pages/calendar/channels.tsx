import { createContext, useContext, useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { listChannelTargets } from '@vacancy/client'

import { useApi, useCaller } from '../../session/api.tsx'

export interface Channel {
  id: string
  name: string
  /** Two letters, for bars and lists. */
  code: string
}

type Channels = ReadonlyMap<string, Channel>

const noChannels: Channels = new Map()
export const ChannelsContext = createContext<Channels>(noChannels)

export const useChannels = () => useContext(ChannelsContext)

/** The channel targets of the organization, by id. */
export const useReadChannels = (): Channels => {
  const api = useApi()
  const { may } = useCaller()
  const { data } = useQuery({
    queryKey: ['channel-targets', 'all'],
    queryFn: async ({ signal }) => {
      const found = []
      for await (const target of api.listAll(listChannelTargets, { signal })) found.push(target)
      return found
    },
    enabled: may('channel_targets:read'),
    staleTime: 300_000,
  })
  return useMemo(
    () => (data ? new Map(data.map(({ id, name }) => [id, { id, name, code: codeOf(name) }])) : noChannels),
    [data],
  )
}

/** `Booking.com` becomes BO, `Atlântica PMS` AP. */
const codeOf = (name: string) => {
  const [first = '', second] = name.split(/[\s.]+/).filter((word) => word.toLowerCase() !== 'com' && word)
  return (second ? first.charAt(0) + second.charAt(0) : first.slice(0, 2)).toLocaleUpperCase()
}

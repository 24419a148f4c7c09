import { createContext, useContext, useMemo } from 'react'

import { useTargets } from '../../components/use-targets.ts'

export interface Channel {
  id: string
  name: string
  /** Two letters, for bars and lists. */
  code: string
}

type Channels = ReadonlyMap<string, Channel>

export const ChannelsContext = createContext<Channels>(new Map())

export const useChannels = () => useContext(ChannelsContext)

/** The channel targets of the organization, by id. */
export const useReadChannels = (): Channels => {
  const targets = useTargets()
  return useMemo(
    () => new Map(targets.map(({ id, name }) => [id, { id, name, code: codeOf(name) }])),
    [targets],
  )
}

/** `Booking.com` becomes BO, `Atlântica PMS` AP. */
const codeOf = (name: string) => {
  const [first = '', second] = name.split(/[\s.]+/).filter((word) => word.toLowerCase() !== 'com' && word)
  return (second ? first.charAt(0) + second.charAt(0) : first.slice(0, 2)).toLocaleUpperCase()
}

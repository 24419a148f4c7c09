import { createContext, useContext } from 'react'

/** `live` while events arrive by themselves; `polling` while we ask for them instead. */
export type Link = 'connecting' | 'live' | 'polling' | 'offline'

export const LinkContext = createContext<Link>('connecting')

/** Whether what is on the page keeps itself current. */
export const useLink = (): Link => useContext(LinkContext)

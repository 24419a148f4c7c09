import { createContext, useContext } from 'react'

/** `live` while the server pushes changes; `polling` while the page asks for them instead. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline'

export const ConnectionContext = createContext<Connection>('connecting')

/** Whether the page receives changes by itself. */
export const useConnection = (): Connection => useContext(ConnectionContext)

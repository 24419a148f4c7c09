import { createContext, useContext } from 'react'

/** `live` while the server pushes changes; `polling` while the page asks for them instead. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline'

export const ConnectionContext = createContext<Connection>('connecting')

/**
 * How long a list of all units counts as read when somebody comes back to the page. What changes in it is pushed while the
 * connection is live.
 */
export const useListStaleMs = (): number => (useConnection() === 'live' ? 300_000 : 30_000)

/** Whether the page receives changes by itself. */
export const useConnection = (): Connection => useContext(ConnectionContext)

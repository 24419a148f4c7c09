import { useEffect, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { streamEvents } from '@vacancy/client'
import type { Client, SyncStatus } from '@vacancy/client'

import { isRefusal, useApi } from '../session/api.tsx'
import type { Connection } from './connection.ts'
import { throttleEvents } from './event-throttle.ts'
import { collectInvalidations, refetchStalest } from './invalidation.ts'
import type { Changes } from './invalidation.ts'
import { recordStatus, showStatuses } from './sync-statuses.ts'
import { refreshUnits } from './units.ts'

/** After this long without a stream the page begins to poll. */
const connectTimeoutMs = 3000
const minRetryMs = 1000
const retryFactor = 4
/** With the polls of `sync-statuses.ts` and of the stalest query a tab stays within six requests a minute. */
const maxRetryMs = 60_000
const stalestMs = 60_000

/** Keeps what is on the page current for as long as it is open. */
export const useEventStream = (): Connection => {
  const api = useApi()
  const queries = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')

  useEffect(() => {
    const closed = new AbortController()
    const { signal } = closed
    const online = () => setConnection((now) => (now === 'offline' ? 'polling' : now))
    const offline = () => setConnection('offline')
    addEventListener('online', online, { signal })
    addEventListener('offline', offline, { signal })
    const timeout = setTimeout(
      () => setConnection((now) => (now === 'connecting' ? 'polling' : now)),
      connectTimeoutMs,
    )
    void followUntilAborted(api, queries, setConnection, signal)
    return () => {
      clearTimeout(timeout)
      closed.abort()
    }
  }, [api, queries])

  useEffect(() => {
    if (connection !== 'polling') return
    const timer = setInterval(() => refetchStalest(queries), stalestMs)
    return () => clearInterval(timer)
  }, [connection, queries])

  return connection
}

const followUntilAborted = async (
  api: Client,
  queries: QueryClient,
  setConnection: (connection: Connection) => void,
  signal: AbortSignal,
) => {
  const invalidate = collectInvalidations(queries, (ids) => void refreshUnits(queries, api, ids))
  const show = throttleEvents((batch) => {
    showStatuses(queries, batch)
    invalidate({ sync_status: null })
  })
  /** The server ends the stream when the role of the person changes, and rejects it when they were removed. */
  const readSession = () => void queries.invalidateQueries({ queryKey: ['session'] })
  let lastEventId: string | null = null
  let failures = 0
  const startedAt = performance.now()
  /** Whether much may have changed since the page read what it shows. */
  const isLate = () => failures > 0 || performance.now() - startedAt > connectTimeoutMs
  while (!signal.aborted) {
    try {
      for await (const { event, data, id } of api.stream(streamEvents, { signal, lastEventId })) {
        if (event === 'sync') {
          const status = JSON.parse(data) as SyncStatus
          recordStatus(status)
          show(status)
        } else if (event === 'changes') invalidate(JSON.parse(data) as Changes)
        else if (event === 'reset' || (event === 'hello' && lastEventId === null && isLate()))
          void queries.invalidateQueries()
        else if (event === 'hello' && lastEventId !== null) {
          void queries.invalidateQueries({ queryKey: ['sync-statuses'] })
          readSession()
        }
        lastEventId = id ?? lastEventId
        failures = 0
        setConnection('live')
      }
    } catch (failure) {
      if (signal.aborted) return
      if (isRefusal(failure)) readSession()
    }
    failures += 1
    // One end is normal: a stream ends with its token, and begins again with the next.
    if (!navigator.onLine) setConnection('offline')
    else if (failures > 1) setConnection('polling')
    const delayMs = Math.min(minRetryMs * retryFactor ** (failures - 1), maxRetryMs)
    await waitUntilOnline(delayMs * (0.75 + Math.random() / 2), signal)
  }
}

/** Waits so long, or until the browser is online again. */
const waitUntilOnline = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      removeEventListener('online', finish)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish)
    addEventListener('online', finish)
  })

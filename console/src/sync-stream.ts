import { useEffect, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { followSyncs } from '@vacancy/client'
import type { Client, SyncStatus } from '@vacancy/client'

import { useApi } from './api.tsx'
import type { Link } from './link.ts'
import { takeStatuses } from './pages/portfolio/statuses.ts'

/** A stream that has not begun by now is not waited for. */
const patienceMs = 3000
const shortestRetryMs = 1000
const longestRetryMs = 30_000
/** Events of a burst are shown together; one frame per event would starve the page. */
const gatherMs = 40

/** Keeps every sync state on the page true, without a reload, for as long as the page is open. */
export const useSyncStream = (): Link => {
  const api = useApi()
  const queries = useQueryClient()
  const [link, setLink] = useState<Link>('connecting')

  useEffect(() => {
    const leave = new AbortController()
    const online = () => setLink((now) => (now === 'offline' ? 'polling' : now))
    const offline = () => setLink('offline')
    addEventListener('online', online, { signal: leave.signal })
    addEventListener('offline', offline, { signal: leave.signal })
    const patience = setTimeout(() => setLink((now) => (now === 'connecting' ? 'polling' : now)), patienceMs)
    void keepFollowing(api, queries, setLink, leave.signal)
    return () => {
      clearTimeout(patience)
      leave.abort()
    }
  }, [api, queries])

  return link
}

const keepFollowing = async (
  api: Client,
  queries: QueryClient,
  setLink: (link: Link) => void,
  signal: AbortSignal,
) => {
  let failures = 0
  while (!signal.aborted) {
    const gather = gathering((batch) => takeStatuses(queries, api, batch))
    try {
      for await (const { event, data } of api.follow(followSyncs, { signal })) {
        if (event === 'sync') gather(JSON.parse(data) as SyncStatus)
        if (failures > 0) void queries.invalidateQueries()
        failures = 0
        setLink('live')
      }
    } catch {
      if (signal.aborted) return
    }
    failures += 1
    // One end is no news: a stream ends with its token, and begins again with the next.
    if (!navigator.onLine) setLink('offline')
    else if (failures > 1) setLink('polling')
    await pause(
      Math.min(shortestRetryMs * 2 ** (failures - 1), longestRetryMs) * (0.75 + Math.random() / 2),
      signal,
    )
  }
}

/** Collects what arrives within a moment, the last word of each listing winning. */
const gathering = (pass: (batch: Map<string, SyncStatus>) => void) => {
  let batch = new Map<string, SyncStatus>()
  return (status: SyncStatus) => {
    if (batch.size === 0) {
      setTimeout(() => {
        const full = batch
        batch = new Map()
        pass(full)
      }, gatherMs)
    }
    batch.set(status.channel_listing_id, status)
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    const now = () => (clearTimeout(timer), resolve())
    signal.addEventListener('abort', now, { once: true })
    addEventListener('online', now, { once: true })
  })

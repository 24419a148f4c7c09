import { useEffect, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { followSyncs } from '@vacancy/client'
import type { Client, SyncStatus } from '@vacancy/client'

import { useApi } from './api.tsx'
import type { Link } from './link.ts'
import { hear, showStatuses } from './statuses.ts'
import { pacing } from './pace.ts'

/** A stream that has not begun by now is not waited for. */
const patienceMs = 3000
const shortestRetryMs = 1000
const longestRetryMs = 30_000

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
  const show = pacing((batch) => showStatuses(queries, api, batch))
  let failures = 0
  while (!signal.aborted) {
    try {
      for await (const { event, data } of api.follow(followSyncs, { signal })) {
        if (event === 'sync') {
          const status = JSON.parse(data) as SyncStatus
          hear(status)
          show(status)
        }
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

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    const now = () => (clearTimeout(timer), resolve())
    signal.addEventListener('abort', now, { once: true })
    addEventListener('online', now, { once: true })
  })

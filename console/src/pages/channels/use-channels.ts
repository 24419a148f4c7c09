import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getChannelTarget, getSyncTarget, listChannelTargets, listSyncTargets } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'
import { readSettings } from '../../session/console-settings.ts'
import type { SyncTarget } from './channel-state.tsx'
import type { Provider } from './draft.ts'

/** Health and budgets change without anybody's doing. */
export const refreshMs = 30_000
/** A check takes a moment: its result is looked for. */
export const checkedEveryMs = 2_000

/** Whether it was changed since its last check: the next one is on its way. */
export const isBeingChecked = ({
  status,
  last_health_check_at: checked,
  updated_at,
}: ChannelTarget): boolean => status !== 'inactive' && (checked === null || checked < updated_at)

/** The health, the budget and the queue of every channel, by its id. */
export const useSyncTargets = () => {
  const api = useApi()
  const { data } = useQuery<Record<string, SyncTarget>>({
    queryKey: [listSyncTargets.path],
    queryFn: async ({ signal }) => {
      const found: Record<string, SyncTarget> = {}
      for await (const target of api.listAll(listSyncTargets, { signal }))
        found[target.channel_target_id] = target
      return found
    },
  })
  return data
}

/** One channel with its entity tag, and what the engine knows of it. */
export const useChannel = (id: string) => {
  const api = useApi()
  const target = useQuery({
    queryKey: [getChannelTarget.path, id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await api.request(getChannelTarget, { path: { id }, signal })
      return { target: data.channel_target, etag }
    },
    refetchInterval: ({ state }) =>
      state.data && isBeingChecked(state.data.target) ? checkedEveryMs : refreshMs,
  })
  const sync = useQuery({
    queryKey: [getSyncTarget.path, id],
    queryFn: async ({ signal }) =>
      (await api.send(getSyncTarget, { path: { targetId: id }, signal })).sync_target,
    refetchInterval: refreshMs,
  })
  return {
    target: target.data?.target,
    etag: target.data?.etag,
    sync: sync.data,
    error: target.error,
    refetch: target.refetch,
  }
}

/** Reads again everything that is shown of channels, after one was changed. */
export const useRefreshChannels = () => {
  const queries = useQueryClient()
  return () =>
    Promise.all(
      [listChannelTargets, listSyncTargets, getChannelTarget, getSyncTarget].map(({ path }) =>
        queries.invalidateQueries({ queryKey: [path] }),
      ),
    )
}

/** Whether the installation has a PMS of its own for channels of the generic provider; taken as true until it is known. */
export const useHasDefaultPms = () => {
  const { data } = useQuery({
    queryKey: ['console-settings'],
    queryFn: readSettings,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data?.has_default_pms ?? true
}

/** Units can be read from it. */
export const isImportable = ({ config }: ChannelTarget): boolean => hasPortfolio[config.provider ?? 'generic']

const hasPortfolio: Readonly<Record<Provider, boolean>> = { generic: false, channex: true, hostaway: true }

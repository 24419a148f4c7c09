import { useEffect } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getChannelTarget, getImport, listImportItems, listImports } from '@vacancy/client'
import type { contract } from '@vacancy/client'

import { useApi } from '../../session/api.tsx'

export type Import = contract.Import
export type ImportItem = contract.ImportItem

export const workingEveryMs = 1_000

/** Something is being done in the background. */
export const isWorking = ({ status }: Pick<Import, 'status'>): boolean =>
  status === 'planning' || status === 'running'

/** It can be continued, and no other import of its channel can begin. */
const openStatuses: Import['status'][] = ['planning', 'planned', 'running', 'failed']

export const isOpen = ({ status }: Pick<Import, 'status'>): boolean => openStatuses.includes(status)

/** How many items of a kind have this action; of each kind or action when it is left out. */
export const countItems = ({ counts }: Import, kind?: ImportItem['kind'], action?: ImportItem['action']) =>
  counts
    .filter((count) => (kind ?? count.kind) === count.kind && (action ?? count.action) === count.action)
    .reduce((sum, { total, done }) => ({ total: sum.total + total, done: sum.done + done }), {
      total: 0,
      done: 0,
    })

/**
 * One import, as far as it is; its items are read again when it gets to another state.
 * @param isGoingLive whether its listings are resumed in the background
 */
export const useImport = (id: string, isGoingLive = false) => {
  const api = useApi()
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery<Import>({
    queryKey: [getImport.path, id],
    queryFn: async ({ signal }) => (await api.send(getImport, { path: { id }, signal })).import,
    refetchInterval: ({ state: { data } }) =>
      data && (isWorking(data) || (isGoingLive && data.listings_paused > 0)) ? workingEveryMs : false,
  })
  const status = data?.status
  useEffect(() => {
    if (!status) return
    for (const { path } of [listImportItems, listImports])
      void queries.invalidateQueries({ queryKey: [path] })
  }, [queries, status])
  return { current: data, error, refetch }
}

/** Those that can be continued: one of each channel at most. */
export const useOpenImports = () => {
  const api = useApi()
  return useQuery({
    queryKey: [listImports.path, 'open'],
    queryFn: async ({ signal }) => {
      const found: Import[] = []
      for await (const one of api.listAll(listImports, { query: { status: openStatuses }, signal }))
        found.push(one)
      return found
    },
  })
}

/** The channel of an import, or null when it was deleted meanwhile. */
export const useChannelName = (id: string | undefined) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [getChannelTarget.path, 'name', id],
    queryFn: async ({ signal }) =>
      (await api.send(getChannelTarget, { path: { id: id ?? '' }, signal })).channel_target.name,
    enabled: id !== undefined,
  })
  return data
}

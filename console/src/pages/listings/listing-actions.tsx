import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import {
  deleteChannelListing,
  getChannelListing,
  pauseChannelListing,
  replaySync,
  resumeChannelListing,
} from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { isFirstClick } from '../../components/first-click.ts'
import { useToast } from '../../components/toast.tsx'
import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { auditKey } from '../../live/sync-statuses.ts'
import { useApi, useCaller } from '../../session/api.tsx'
import { listingMessages } from './messages.ts'

/** What is done to one listing: pause it, send everything again, unlink it with what follows from that. */
export const ListingActions = ({ listing }: { listing: ChannelListing }) => {
  const text = useMessages(listingMessages)
  const describe = useFailureText()
  const api = useApi()
  const toast = useToast()
  const navigate = useNavigateIfShown()
  const queries = useQueryClient()
  const { may } = useCaller()
  const [asked, setAsked] = useState<'replay' | 'unlink' | null>(null)
  const [isToggling, setToggling] = useState(false)
  const { id, channel_target: target, status } = listing
  const isPaused = status === 'paused'
  const names = { unit: listing.unit.name, target: target.name }
  const close = () => setAsked(null)

  const refresh = async () => {
    for (const key of [[getChannelListing.path, id], ['channel-listings'], ['sync-statuses'], auditKey(id)])
      await queries.invalidateQueries({ queryKey: key })
  }
  const togglePause = async () => {
    setToggling(true)
    try {
      await (isPaused
        ? api.send(resumeChannelListing, { path: { id } })
        : api.send(pauseChannelListing, { path: { id } }))
      toast({ message: text(isPaused ? 'resumed' : 'paused', names) })
      await refresh()
    } catch (failure) {
      toast({ message: describe(failure) })
    } finally {
      setToggling(false)
    }
  }
  const replay = async () => {
    await api.send(replaySync, { body: { channel_listing_id: id } })
    toast({ message: text('replayed', names) })
  }
  const unlink = async () => {
    await api.send(deleteChannelListing, { path: { id } })
    await navigate({ to: '/channels/$channelId', params: { channelId: target.id } })
    toast({ message: text('unlinked', names) })
    queries.removeQueries({ queryKey: [getChannelListing.path, id] })
    await queries.invalidateQueries({ queryKey: ['channel-listings'] })
    await queries.invalidateQueries({ queryKey: ['/api/v1/channel-listings'] })
  }

  const disabled = (reason: string | null) =>
    reason ? { 'data-disabled': true, 'aria-disabled': true, title: reason } : {}
  const cannotWrite = may('channel_listings:write') ? null : text('mayNotWrite')
  const cannotReplay = !may('sync:write')
    ? text('syncForbidden')
    : isPaused
      ? text('listingPaused')
      : target.status === 'inactive'
        ? text('targetInactive')
        : null
  return (
    <>
      <Button
        variant="default"
        loading={isToggling}
        {...disabled(cannotWrite)}
        onClick={(click) => !cannotWrite && isFirstClick(click) && void togglePause()}
      >
        {text(isPaused ? 'resume' : 'pause')}
      </Button>
      <Button
        variant="default"
        {...disabled(cannotReplay)}
        onClick={() => !cannotReplay && setAsked('replay')}
      >
        {text('replay')}
      </Button>
      <Button variant="default" {...disabled(cannotWrite)} onClick={() => !cannotWrite && setAsked('unlink')}>
        {text('unlink')}
      </Button>
      {asked === 'replay' && (
        <ConfirmDialog
          title={text('replayTitle', names)}
          action={text('replay')}
          onConfirm={replay}
          onClose={close}
        >
          {text('replayText', names)}
        </ConfirmDialog>
      )}
      {asked === 'unlink' && (
        <ConfirmDialog
          isDangerous
          title={text('unlinkTitle', names)}
          action={text('unlink')}
          typed={text('unlinkWord')}
          onConfirm={unlink}
          onClose={close}
        >
          {text('unlinkText')}
        </ConfirmDialog>
      )}
    </>
  )
}

import { useState } from 'react'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { deleteChannelTarget, getChannelTarget, listChannelListings, replaySync } from '@vacancy/client'
import type { ChannelTarget } from '@vacancy/client'

import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useToast } from '../../components/toast.tsx'
import { useNavigateIfShown } from '../../components/use-navigate-if-shown.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import type { Permission } from '../../session/api.tsx'
import type { SyncTarget } from './channel-state.tsx'
import { detailMessages } from './detail-messages.ts'
import { channelMessages } from './messages.ts'
import { useRefreshChannels } from './use-channels.ts'

interface ActionProps {
  target: ChannelTarget
  sync: SyncTarget | undefined
  etag: string | null
}

const maxNamed = 10

const listingCount = (sync: SyncTarget | undefined) => {
  if (!sync) return 0
  const { completed, waiting, in_progress, failed, paused } = sync.queue
  return completed + waiting + in_progress + failed + paused
}

/** What is done to the whole channel, each after asking: send everything again, delete it. */
export const ChannelActions = ({ target, sync, etag }: ActionProps) => {
  const text = useMessages(detailMessages)
  const words = useMessages(channelMessages)
  const api = useApi()
  const toast = useToast()
  const navigate = useNavigateIfShown()
  const { may } = useCaller()
  const refresh = useRefreshChannels()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'replay' | 'delete' | null>(null)
  const { name, id } = target
  const count = listingCount(sync)
  const close = () => setAsked(null)

  const replay = async () => {
    const { replay: result } = await api.send(replaySync, { body: { channel_target_id: id } })
    toast({ message: text('replayed', { count: result.queued }) })
    await refresh()
  }
  const remove = async () => {
    await api.send(deleteChannelTarget, { path: { id }, ifMatch: etag })
    await navigate({ to: '/channels', ignoreBlocker: true })
    toast({ message: text('deleted', { name }) })
    // Going back to it shows that it is gone.
    queries.removeQueries({ queryKey: [getChannelTarget.path, id] })
    await refresh()
  }
  const forbidden = (permission: Permission, reason: string) =>
    may(permission) ? {} : { 'data-disabled': true, 'aria-disabled': true, title: reason }
  const cannotReplay =
    target.status === 'inactive'
      ? { 'data-disabled': true, 'aria-disabled': true, title: words('pausedWhy') }
      : forbidden('sync:write', words('mayNotSync'))
  const cannotDelete = forbidden('channel_targets:write', words('mayNotWrite'))

  return (
    <>
      <Button variant="default" {...cannotReplay} onClick={() => !cannotReplay.title && setAsked('replay')}>
        {text('replay')}
      </Button>
      <Button variant="default" {...cannotDelete} onClick={() => !cannotDelete.title && setAsked('delete')}>
        {text('delete')}
      </Button>
      {asked === 'replay' && (
        <ConfirmDialog
          title={text('replayTitle', { name })}
          action={text('replay')}
          onConfirm={replay}
          onClose={close}
        >
          {text('replayText', { count })}
        </ConfirmDialog>
      )}
      {asked === 'delete' && count === 0 && (
        <ConfirmDialog
          isDangerous
          title={text('deleteTitle', { name })}
          action={text('delete')}
          typed={text('deleteWord')}
          onConfirm={remove}
          onClose={close}
        >
          {text('deleteText')}
        </ConfirmDialog>
      )}
      {asked === 'delete' && count > 0 && <HeldDialog target={target} count={count} onClose={close} />}
    </>
  )
}

interface HeldDialogProps {
  target: ChannelTarget
  count: number
  onClose: () => void
}

/** Which listings keep a channel from being deleted. */
const HeldDialog = ({ target, count, onClose }: HeldDialogProps) => {
  const text = useMessages(detailMessages)
  const api = useApi()
  const { data } = useQuery({
    queryKey: [listChannelListings.path, 'holding', target.id],
    queryFn: ({ signal }) =>
      api.send(listChannelListings, {
        query: { channel_target_id: target.id, limit: maxNamed },
        signal,
      }),
  })
  const show = async () => {
    document.querySelector<HTMLElement>('#channel-listings')?.scrollIntoView({ block: 'center' })
  }
  return (
    <ConfirmDialog
      title={text('heldTitle', { name: target.name, count })}
      action={text('showListings')}
      onConfirm={show}
      onClose={onClose}
    >
      <p>{text('heldText')}</p>
      <ul>
        {data?.channel_listings.map(({ id, unit, external_id }) => (
          <li key={id}>
            <Link to="/listings/$listingId" params={{ listingId: id }} search={{}}>
              {unit.name}
            </Link>{' '}
            {external_id}
          </li>
        ))}
        {count > maxNamed && <li>{text('heldMore', { count: count - maxNamed })}</li>}
      </ul>
    </ConfirmDialog>
  )
}

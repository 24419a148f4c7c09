import type { ReactNode } from 'react'
import { useMutation } from '@tanstack/react-query'
import { decideCalendarFeed, fetchCalendarFeed, getCalendarFeed } from '@vacancy/client'
import type { Client, contract } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { feedMessages } from './messages.ts'

type CalendarFeed = contract.CalendarFeed

/** A calendar is read within seconds; one that takes longer is shown when the page is read again. */
const waitsMs = [300, 700, 1_000, 2_000, 4_000, 7_000]

interface ActionProps {
  feed: CalendarFeed
  refresh: () => Promise<unknown>
}

/** Reads an imported calendar at once instead of within half an hour. */
export const ReadNowButton = ({ feed, refresh }: ActionProps) => {
  const text = useMessages(feedMessages)
  const act = async (api: Client) => {
    const read = await readNow(api, feed)
    return read ? text('wasRead', { name: read.name }) : text('isBeingRead', { name: feed.name })
  }
  return (
    <FeedAction {...{ act, refresh }} label={text('readNowOf', { name: feed.name })}>
      {text('readNow')}
    </FeedAction>
  )
}

/** Frees nights that a user has decided to keep blocked, although they are missing from the calendar. */
export const FreeKeptButton = ({ feed: { id, name }, since, refresh }: ActionProps & { since: string }) => {
  const text = useMessages(feedMessages)
  const act = async (api: Client) => {
    await api.send(decideCalendarFeed, { path: { id }, body: { decision: 'accept', since } })
    return text('wereFreed', { name })
  }
  return (
    <FeedAction {...{ act, refresh }} label={text('freeKeptOf', { name })}>
      {text('freeKept')}
    </FeedAction>
  )
}

interface FeedActionProps {
  /** Returns what is then said. */
  act: (api: Client) => Promise<string>
  label: string
  refresh: () => Promise<unknown>
  children: ReactNode
}

const FeedAction = ({ act, label, refresh, children }: FeedActionProps) => {
  const text = useMessages(feedMessages)
  const api = useApi()
  const toast = useToast()
  const describe = useFailureText()
  const { may } = useCaller()
  const { mutate, isPending } = useMutation({
    mutationFn: () => act(api),
    onSuccess: (message) => toast({ message }),
    onError: (cause) => toast({ message: describe(cause) }),
    onSettled: refresh,
  })
  return (
    <ActionButton
      refusal={may('units:write') ? null : text('mayNot')}
      loading={isPending}
      label={label}
      onClick={() => mutate()}
    >
      {children}
    </ActionButton>
  )
}

/** The feed after it was read, or null when that takes longer. A reading that began earlier does not count. */
const readNow = async (api: Client, { id }: CalendarFeed) => {
  const { calendar_feed: requested } = await api.send(fetchCalendarFeed, { path: { id } })
  const requestedAt = Date.parse(requested.updated_at)
  for (const waitMs of waitsMs) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    const { calendar_feed: feed } = await api.send(getCalendarFeed, { path: { id } })
    if (feed.last_fetched_at && Date.parse(feed.last_fetched_at) > requestedAt) return feed
  }
  return null
}

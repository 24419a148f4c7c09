import { useState } from 'react'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { listSyncFailureListings, Problem, retrySyncFailure } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { Arrows } from '../../components/icons.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { Quoted } from '../../components/sync-error.tsx'
import { TableSkeleton } from '../../components/table-skeleton.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { screenLink } from '../../components/screen-link.ts'
import { ShowMore } from '../../components/show-more.tsx'
import { useToast } from '../../components/toast.tsx'
import { useRecords } from '../../components/use-records.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { causeMessages } from './cause-messages.ts'
import { InboxItem } from './inbox-item.tsx'
import type { ItemState } from './inbox-item.tsx'
import { inboxMessages } from './messages.ts'
import { useRefreshInbox } from './use-inbox.ts'
import type { Failure } from './use-inbox.ts'
import styles from './details.module.css'

/** Starts the sync of all listings of some causes. */
export const useRetryCauses = () => {
  const api = useApi()
  const text = useMessages(causeMessages)
  const describe = useFailureText()
  const toast = useToast()
  const refresh = useRefreshInbox()
  return async (ids: readonly string[]) => {
    let count = 0
    let failure: unknown
    for (const id of ids)
      try {
        const { retry } = await api.send(retrySyncFailure, { path: { id } })
        count += retry.queued
      } catch (cause) {
        // A cause is gone when none of its listings fails any more.
        if (!(cause instanceof Problem && cause.status === 404)) failure ??= cause
      }
    toast({ message: failure === undefined ? text('queued', { count }) : describe(failure) })
    await refresh()
  }
}

/** One cause for which any number of listings fail. */
export const FailureItem = ({ failure, ...state }: { failure: Failure } & ItemState) => {
  const text = useMessages(causeMessages)
  const inboxText = useMessages(inboxMessages)
  const { may } = useCaller()
  const retryCauses = useRetryCauses()
  const [isSending, setSending] = useState(false)
  const { id, error_code, channel_target_name: target, count, retrying, first_at, listings } = failure
  const title = text(error_code, { target })
  const retry = async () => {
    setSending(true)
    await retryCauses([id])
    setSending(false)
  }
  const [first] = listings
  return (
    <InboxItem
      {...state}
      id={id}
      icon={Arrows}
      tone={failure.failed > 0 ? 'bad' : 'wait'}
      title={title}
      subject={[count === 1 && first?.unit_name, text(`${error_code}Hint`)].filter(Boolean).join(' · ')}
      count={text('listings', { count })}
      since={first_at}
      actions={
        <ActionButton
          refusal={may('sync:write') ? null : inboxText('noRetryRole')}
          loading={isSending}
          label={text('retryLabel', { action: text('retryAll', { count }), cause: title })}
          onClick={() => void retry()}
        >
          {text('retryAll', { count })}
        </ActionButton>
      }
    >
      {retrying > 0 && <p className={styles.hint}>{text('retrying', { count: retrying })}.</p>}
      <blockquote className={styles.answer}>
        <span className={styles.label}>{text('answer')}</span>
        <Quoted>{failure.message}</Quoted>
      </blockquote>
      <FailingListings id={id} />
      <div className={styles.actions}>
        <Button
          size="compact-sm"
          variant="default"
          renderRoot={(props) => (
            <Link {...screenLink(`/channels/${failure.channel_target_id}`)} {...props} />
          )}
        >
          {inboxText('openTarget')}
        </Button>
      </div>
    </InboxItem>
  )
}

const FailingListings = ({ id }: { id: string }) => {
  const text = useMessages(causeMessages)
  const list = useRecords(listSyncFailureListings, { path: { id } })
  if (list.error) return <ProblemNote failure={list.error} onRetry={list.refetch} />
  if (!list.records) return <TableSkeleton rows={3} />
  return (
    <>
      <ul className={styles.listings} aria-label={text('listed')}>
        {list.records.map((listing) => (
          <li key={listing.channel_listing_id}>
            <Link to="/listings/$listingId" params={{ listingId: listing.channel_listing_id }}>
              {listing.unit_name}
            </Link>
            <span className={styles.faint}>{listing.external_id}</span>
            <span className={styles.grow} />
            <span className={styles.faint}>
              {text(listing.status === 'failed' ? 'failed' : 'waiting')} · {text('lastTried')}{' '}
              <RelativeTime at={listing.last_at} />
            </span>
          </li>
        ))}
      </ul>
      <ShowMore list={list} size="compact-sm" />
    </>
  )
}

import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import { deleteSalesStop } from '@vacancy/client'

import { ActionButton } from '../../components/action-button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Check, Hand, Warning } from '../../components/icons.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { useApi, useCaller } from '../../session/api.tsx'
import { stopMessages } from './messages.ts'
import { isReached, useReach, useRefreshStops, useStopName } from './use-stops.ts'
import type { Reach, SalesStop } from './use-stops.ts'
import styles from './stop-sell.module.css'

/** A stop in force: what, why, who, how far it has got, and its end. */
export const StopCard = ({ stop }: { stop: SalesStop }) => {
  const text = useMessages(stopMessages)
  const nameOf = useStopName([stop])
  const { may } = useCaller()
  const { data: reach } = useReach(stop)
  const [isAsking, setAsking] = useState(false)
  const name = nameOf(stop)
  return (
    <li className={styles.stop}>
      <span className={styles.sign}>
        <Hand />
      </span>
      <div className={styles.about}>
        <strong className={styles.name}>{name}</strong>
        {stop.reason && <span>{stop.reason}</span>}
        <span className={styles.quiet}>
          {text('by', { name: stop.stopped_by.name })} · <RelativeTime at={stop.created_at} />
        </span>
        {reach && <ReachLine reach={reach} />}
      </div>
      <ActionButton
        size="sm"
        refusal={may('sync:write') ? null : text('noPermission')}
        label={text('resumeLabel', { name })}
        onClick={() => setAsking(true)}
      >
        {text('resume')}
      </ActionButton>
      {isAsking && <ResumeDialog stop={stop} name={name} onClose={() => setAsking(false)} />}
    </li>
  )
}

interface ReachLineProps {
  reach: Reach
  /** Whether the stop is lifted, so that its end is on the way. */
  isLifted?: boolean
}

/** How many listings have received a stop or its end, as a bar and in words. */
export const ReachLine = ({ reach, isLifted = false }: ReachLineProps) => {
  const text = useMessages(stopMessages)
  const { listings, reached, failing, paused } = reach
  const isDone = isReached(reach)
  const words = isLifted
    ? ({ none: 'noListingsReopened', some: 'reopening', all: 'allReopened' } as const)
    : ({ none: 'noListings', some: 'reached', all: 'allReached' } as const)
  const sentence = text(listings === 0 ? words.none : isDone ? words.all : words.some, {
    reached,
    count: listings,
  })
  return (
    <>
      <span className={styles.reach} data-done={isDone} role="status">
        {isDone ? <Check /> : <progress max={listings} value={reached} aria-label={sentence} />}
        <span>{sentence}</span>
        {failing > 0 && (
          <Link to="/inbox" search={{ show: 'failures' }} className={styles.failing}>
            <Warning />
            {text('failing', { count: failing })}
          </Link>
        )}
      </span>
      {paused > 0 && !isLifted && (
        <span className={styles.warning}>
          <Warning />
          {text('paused', { count: paused })}
        </span>
      )}
    </>
  )
}

interface ResumeDialogProps {
  stop: SalesStop
  name: string
  onClose: () => void
}

/** Says what reopens before a stop is lifted. Where that cannot be read, the stop can be lifted all the same. */
const ResumeDialog = ({ stop, name, onClose }: ResumeDialogProps) => {
  const text = useMessages(stopMessages)
  const api = useApi()
  const toast = useToast()
  const refresh = useRefreshStops()
  const { data: reach, error, refetch } = useReach(stop)
  const resume = async () => {
    await api.send(deleteSalesStop, { path: { id: stop.id } })
    toast({ message: text('resumed', { name }) })
    await refresh()
  }
  return (
    <ConfirmDialog
      title={text('resumeTitle', { name })}
      action={text('resume')}
      isReady={reach !== undefined || error !== null}
      onConfirm={resume}
      onClose={onClose}
    >
      <ProblemNote failure={reach ? null : error} onRetry={() => void refetch()} />
      {!reach && error && <p>{text('reachUnknown')}</p>}
      {reach && <p>{text('reopens', { count: reach.units - reach.stopped_otherwise })}</p>}
      {reach && reach.stopped_otherwise > 0 && (
        <p>{text('staysStopped', { count: reach.stopped_otherwise })}</p>
      )}
    </ConfirmDialog>
  )
}

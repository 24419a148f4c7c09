import { useEffect, useState } from 'react'
import { Button } from '@mantine/core'
import type { contract } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { newBookingMessages } from './new-booking-messages.ts'
import styles from './new-booking.module.css'

interface HoldNoteProps {
  title: string
  /** What is held, when it is something else than what is chosen. */
  stay: string | null
  expiresAt: string
  isReleasing: boolean
  onRelease: () => void
  onOver: () => void
}

/** How long the nights are still kept. */
export const HoldNote = ({ title, stay, expiresAt, isReleasing, onRelease, onOver }: HoldNoteProps) => {
  const text = useMessages(newBookingMessages)
  const [leftMs, setLeftMs] = useState(() => Date.parse(expiresAt) - Date.now())
  useEffect(() => {
    const timer = setInterval(() => setLeftMs(Date.parse(expiresAt) - Date.now()), 1000)
    return () => clearInterval(timer)
  }, [expiresAt])
  useEffect(() => {
    if (leftMs <= 0) onOver()
  }, [leftMs <= 0])
  const seconds = Math.max(0, Math.floor(leftMs / 1000))
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <div className={styles.held}>
      <div>
        <strong role="status">{title}</strong>
        {stay && <span>{stay}</span>}
        <span role="timer">{text('heldText', { time })}</span>
      </div>
      <Button size="compact-sm" variant="default" loading={isReleasing} onClick={onRelease}>
        {text('release')}
      </Button>
    </div>
  )
}

/** A new hold with its end by the clock of this browser, which may be wrong by more than the hold lasts. */
export const byOwnClock = (quote: contract.Quote): contract.Quote => {
  if (!quote.hold) return quote
  const lastsMs = Date.parse(quote.hold.expires_at) - Date.parse(quote.created_at)
  return { ...quote, hold: { ...quote.hold, expires_at: new Date(Date.now() + lastsMs).toISOString() } }
}

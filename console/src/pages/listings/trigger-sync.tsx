import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { triggerSync } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { useApi, useCaller } from '../../api.tsx'
import { useLink } from '../../link.ts'
import { wordsFor } from '../../parts/refusal.ts'

interface RetryButtonProps {
  listing: ChannelListing
  word: 'Retry' | 'Sync now'
}

/** Asks for a sync of one listing; what comes of it is told by the listing's own state. */
export const RetryButton = ({ listing, word }: RetryButtonProps) => {
  const api = useApi()
  const { may } = useCaller()
  const queries = useQueryClient()
  const link = useLink()
  const [fault, setFault] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  const reason = whyNot(listing, may('sync:write'))

  const ask = async () => {
    setFault(null)
    setAsking(true)
    try {
      await api.send(triggerSync, { body: { channel_listing_id: listing.id } })
      if (link !== 'live') await queries.invalidateQueries({ queryKey: ['sync-statuses'] })
    } catch (failure) {
      setFault(wordsFor(failure))
    } finally {
      setAsking(false)
    }
  }

  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={isAsking}
        {...(reason && { 'data-disabled': true, 'aria-disabled': true, title: reason })}
        aria-label={`${word}: ${listing.unit.name} at ${listing.channel_target.name}${reason ? `. ${reason}` : ''}`}
        onClick={() => !reason && void ask()}
      >
        {word}
      </Button>
      {fault && <span role="alert">{fault}</span>}
    </>
  )
}

const whyNot = (listing: ChannelListing, mayTrigger: boolean): string | null => {
  if (!mayTrigger) return 'Your role may not start a sync'
  if (listing.status === 'paused') return 'This listing is paused'
  if (listing.channel_target.status === 'inactive') return 'Its target is switched off'
  return null
}

import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { triggerSync } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { useFailure } from '../../components/use-failure.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useMessages } from '../../i18n/language.tsx'
import { useConnection } from '../../live/connection.ts'
import { useApi, useCaller } from '../../session/api.tsx'
import { listingMessages } from './messages.ts'

interface SyncButtonProps {
  listing: ChannelListing
  label: 'retry' | 'syncNow'
}

/** Starts a sync of one listing; its result appears as the state of the listing. */
export const SyncButton = ({ listing, label }: SyncButtonProps) => {
  const api = useApi()
  const text = useMessages(listingMessages)
  const describe = useFailureText()
  const { may } = useCaller()
  const queries = useQueryClient()
  const connection = useConnection()
  const [fault, setFault] = useFailure<string>()
  const [isSending, setSending] = useState(false)
  const refusal = refusalFor(listing, may('sync:write'))
  const reason = refusal && text(refusal)
  const name = text('syncLabel', {
    action: text(label),
    unit: listing.unit.name,
    target: listing.channel_target.name,
  })

  const start = async () => {
    setFault(null)
    setSending(true)
    try {
      await api.send(triggerSync, { body: { channel_listing_id: listing.id } })
      if (connection !== 'live') await queries.invalidateQueries({ queryKey: ['sync-statuses'] })
    } catch (failure) {
      setFault(describe(failure))
    } finally {
      setSending(false)
    }
  }

  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={isSending}
        {...(reason && { 'data-disabled': true, 'aria-disabled': true, title: reason })}
        aria-label={reason ? `${name}. ${reason}` : name}
        onClick={() => !reason && void start()}
      >
        {text(label)}
      </Button>
      {fault && <span role="alert">{fault}</span>}
    </>
  )
}

/** Why a sync cannot be started, or null. */
const refusalFor = (listing: ChannelListing, mayTrigger: boolean) => {
  if (!mayTrigger) return 'syncForbidden'
  if (listing.status === 'paused') return 'listingPaused'
  if (listing.channel_target.status === 'inactive') return 'targetInactive'
  return null
}

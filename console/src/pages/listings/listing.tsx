import { Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { findChannelListing } from '@vacancy/client'
import type { ChannelListing } from '@vacancy/client'

import { useApi } from '../../api.tsx'
import { Message } from '../../parts/message.tsx'
import { wordsFor } from '../../parts/refusal.ts'
import { useStatuses } from '../../statuses.ts'
import { History } from './history.tsx'
import { Standing } from './standing.tsx'
import look from './listing.module.css'

const route = getRouteApi('/portfolio/listings/$listingId')

/** One listing beside the portfolio it belongs to: where it stands, and everything that was tried. */
export const ListingDrawer = () => {
  const { listingId } = route.useParams()
  const navigate = route.useNavigate()
  const { data: listing, error } = useListing(listingId)
  const status = useStatuses().data?.[listingId]
  return (
    <Drawer.Root
      opened
      onClose={() => void navigate({ to: '/', search: true })}
      position="right"
      size={560}
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content>
        <div className={look.head}>
          <div className={look.names}>
            <Drawer.Title className={look.unit}>
              {listing?.unit.name ?? (error ? 'Listing' : ' ')}
            </Drawer.Title>
            <p className={look.target}>
              {listing && (
                <>
                  {listing.channel_target.name}
                  <code>{listing.external_id}</code>
                </>
              )}
            </p>
          </div>
          <Drawer.CloseButton aria-label="Close" />
        </div>
        <Drawer.Body className={look.body}>
          {error ? (
            <Message tone="bad" title="This listing could not be shown">
              {wordsFor(error)}
            </Message>
          ) : (
            listing && (
              <>
                <Standing listing={listing} status={status} />
                <History listing={listing} />
              </>
            )
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

const useListing = (listingId: string) => {
  const api = useApi()
  return useQuery<ChannelListing>({
    queryKey: ['channel-listing', listingId],
    queryFn: async ({ signal }) => {
      const reply = await api.send(findChannelListing, { path: { id: listingId }, signal })
      return reply.channel_listing
    },
  })
}

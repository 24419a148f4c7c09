import { getRouteApi } from '@tanstack/react-router'
import type { ChannelTarget } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { Page } from '../../components/page.tsx'
import { RecordFallback } from '../../components/record-fallback.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { ChannelActions } from './channel-actions.tsx'
import { ChannelBudget, ChannelHealth, ChannelHistory } from './channel-health.tsx'
import { ChannelListings } from './channel-listings.tsx'
import { ChannelSettings } from './channel-settings.tsx'
import { ChannelState, useStateReason } from './channel-state.tsx'
import type { SyncTarget } from './channel-state.tsx'
import { detailMessages } from './detail-messages.ts'
import { channelMessages } from './messages.ts'
import { PauseButton } from './pause-button.tsx'
import { isImportable, useChannel } from './use-channels.ts'
import styles from './channels.module.css'

const route = getRouteApi('/channels/$channelId')

/** One PMS connection: its health and settings, what is linked to it, and what can be done with all of that. */
export const Channel = () => {
  const text = useMessages(detailMessages)
  const words = useMessages(channelMessages)
  const { channelId } = route.useParams()
  const { target, etag, sync, error, refetch } = useChannel(channelId)
  const back = { link: { to: '/channels' }, place: words('title') } as const

  if (!target)
    return (
      <Page title={text('channel')} back={back}>
        <RecordFallback error={error} title={text('loadFailed')} onRetry={() => void refetch()} />
      </Page>
    )
  return (
    <Page
      readError={error}
      title={target.name}
      back={back}
      summary={<Summary target={target} sync={sync} />}
      actions={
        <>
          <ButtonLink to="/channels/$channelId/link" params={{ channelId }}>
            {text('link')}
          </ButtonLink>
          {isImportable(target) && (
            <ButtonLink variant="default" to="/import" search={{ channel: channelId }}>
              {text('imports')}
            </ButtonLink>
          )}
          <PauseButton target={target} size="sm" />
          <ButtonLink variant="default" to="/stop-sell" search={{ what: 'channel', ids: channelId }}>
            {text('stopSales')}
          </ButtonLink>
          <ChannelActions target={target} sync={sync} etag={etag ?? null} />
        </>
      }
    >
      <div className={styles.columns}>
        <div>
          <ChannelSettings target={target} etag={etag ?? null} />
        </div>
        <div>
          <ChannelHealth target={target} sync={sync} />
          <ChannelBudget sync={sync} />
          <ChannelHistory target={target} />
        </div>
      </div>
      <ChannelListings target={target} sync={sync} />
    </Page>
  )
}

const Summary = ({ target, sync }: { target: ChannelTarget; sync: SyncTarget | undefined }) => {
  const words = useMessages(channelMessages)
  const reasonOf = useStateReason()
  return (
    <span className={styles.summary}>
      {words(target.config.provider ?? 'generic')}
      <ChannelState target={target} sync={sync} />
      <span>{reasonOf({ target, sync })}</span>
    </span>
  )
}

import type { ReactNode } from 'react'

import { ButtonLink } from '../../components/button-link.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { GoLiveButton } from './go-live-button.tsx'
import { importMessages } from './messages.ts'
import type { Import } from './use-import.ts'
import styles from './import.module.css'

/** What a person does after an import: look at what was taken over, then go live. */
export const ImportReport = ({ current, name }: { current: Import; name: string }) => {
  const text = useMessages(importMessages)
  const channelId = current.channel_target_id
  return (
    <section className={styles.next} aria-labelledby="next">
      <h2 id="next">{text('next')}</h2>
      <ol>
        <Next title={text('nextReview')} note={text('nextReviewText')}>
          <ButtonLink to="/units" variant="default">
            {text('nextReviewAction')}
          </ButtonLink>
        </Next>
        {current.bookings_imported > 0 && (
          <Next title={text('nextConflicts')} note={text('nextConflictsText')}>
            <ButtonLink to="/inbox" variant="default">
              {text('nextConflictsAction')}
            </ButtonLink>
          </Next>
        )}
        <Next
          title={text('nextLive')}
          note={current.listings_paused > 0 ? text('nextLiveText', { name }) : text('isLive', { name })}
        >
          {current.listings_paused > 0 ? (
            <>
              <GoLiveButton current={current} name={name} />
              <ButtonLink to="/channels/$channelId/link" params={{ channelId }} search={{ step: 'check' }}>
                {text('nextLiveAction')}
              </ButtonLink>
            </>
          ) : (
            <>
              <ButtonLink variant="default" to="/import" search={{ channel: channelId }}>
                {text('again')}
              </ButtonLink>
              <ButtonLink to="/channels/$channelId" params={{ channelId }}>
                {text('toChannel')}
              </ButtonLink>
            </>
          )}
        </Next>
      </ol>
    </section>
  )
}

const Next = ({ title, note, children }: { title: string; note: string; children: ReactNode }) => (
  <li>
    <div>
      <h3>{title}</h3>
      <p className={styles.quiet}>{note}</p>
    </div>
    {children}
  </li>
)

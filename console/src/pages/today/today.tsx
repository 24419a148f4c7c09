import { Button } from '@mantine/core'
import { Link, Navigate } from '@tanstack/react-router'

import { ButtonLink } from '../../components/button-link.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Pause, Plus } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import { screenLink } from '../../components/screen-link.ts'
import { useSpaces } from '../../components/use-spaces.ts'
import { useFailureText } from '../../i18n/failure-text.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { attentionCount, useToday } from '../../live/today.ts'
import { useCaller } from '../../session/api.tsx'
import { dateOf, todayIn } from '../calendar/nights.ts'
import { Arrivals, Departures, Unpaid } from './stays.tsx'
import { Attention } from './attention.tsx'
import { Figures } from './figures.tsx'
import { todayMessages } from './messages.ts'
import { SetupCard } from './setup-card.tsx'
import styles from './today.module.css'

/** What the day brings: who comes and goes, what is not paid, and what waits for a person. */
export const TodayPage = () => {
  const text = useMessages(todayMessages)
  const format = useFormat()
  const describe = useFailureText()
  const { may } = useCaller()
  const { data: today, error, refetch } = useToday()
  const waiting = today ? attentionCount(today) : 0
  const stay = [today?.arrivals, today?.departures, today?.in_house].flatMap(
    (part) => part?.bookings ?? [],
  )[0]
  // Without a stay, the day is that of another property and not that of the browser.
  const [space] = useSpaces(today !== undefined && stay === undefined)
  // There is nothing to show before there is something to sell.
  if (today && !today.setup.units && !today.setup.channel_targets) return <Navigate to="/start" replace />
  return (
    <Page
      title={text('title')}
      tabTitle={waiting > 0 ? `(${waiting}) ${text('title')}` : text('title')}
      summary={format.longDate(dateOf(todayIn((stay ?? space)?.timezone)))}
      actions={
        <ButtonLink
          to="/bookings/new"
          leftSection={<Plus />}
          disabled={!may('bookings:write')}
          title={may('bookings:write') ? undefined : text('noPermission')}
        >
          {text('newBooking')}
        </ButtonLink>
      }
    >
      {error && !today ? (
        <EmptyState
          tone="bad"
          title={text('loadFailed')}
          action={<Button onClick={() => void refetch()}>{text('tryAgain')}</Button>}
        >
          {describe(error)}
        </EmptyState>
      ) : (
        <>
          {today && <SetupCard setup={today.setup} />}
          {today?.sales_stops ? <SalesStops count={today.sales_stops} /> : null}
          <Figures today={today} />
          <div className={styles.columns}>
            <Attention today={today} />
            <div className={styles.stays}>
              <Arrivals today={today} />
              <Departures today={today} />
              {today?.unpaid && today.unpaid.count > 0 && <Unpaid unpaid={today.unpaid} />}
            </div>
          </div>
        </>
      )}
    </Page>
  )
}

const SalesStops = ({ count }: { count: number }) => {
  const text = useMessages(todayMessages)
  return (
    <p className={styles.stop} role="status">
      <Pause />
      <span>
        <strong>{text('stopped', { count })}.</strong> {text('stoppedText')}
      </span>
      <Link {...screenLink('/stop-sell')}>{text('seeStops')}</Link>
    </p>
  )
}

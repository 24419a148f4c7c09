import { Button } from '@mantine/core'
import type { contract } from '@vacancy/client'

import { toCsv } from '../../components/csv.ts'
import { Download } from '../../components/icons.tsx'
import { saveFile } from '../../components/save-file.ts'
import { Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { bookingMessages } from '../bookings/booking-messages.ts'
import { analyticsMessages } from './messages.ts'
import styles from './analytics.module.css'

type Analytics = contract.Analytics

/** What each channel sold, the largest first, with its part of the revenue as a bar. */
export const Channels = ({ data }: { data: Analytics }) => {
  const text = useMessages(analyticsMessages)
  const word = useMessages(bookingMessages)
  const format = useFormat()
  const { currency, revenue_cents } = data.bookings
  const channels = data.by_channel.map((channel) => ({
    ...channel,
    label: channel.channel_target_id ? channel.name : word(channel.source),
    share: revenue_cents > 0 ? channel.revenue_cents / revenue_cents : 0,
  }))
  const others = data.revenue.filter((one) => one.currency !== currency && one.revenue_cents > 0)
  const save = () => {
    const lines = channels.map((one) => [
      ...[one.label, one.source, one.bookings, one.nights, one.revenue_cents, currency],
    ])
    const columns = ['channel', 'source', 'bookings', 'nights', 'revenue_cents', 'currency']
    saveFile(toCsv([columns, ...lines]), `channels-${data.period.from}-${data.period.to}.csv`)
  }
  return (
    <Section
      title={text('channels')}
      actions={
        channels.length > 0 && (
          <Button variant="default" size="xs" leftSection={<Download />} onClick={save}>
            {text('exportChannels')}
          </Button>
        )
      }
    >
      {channels.length === 0 ? (
        <p className={styles.hint}>{text('noSales')}</p>
      ) : (
        <table className={styles.table} data-bars>
          <thead>
            <tr>
              <th scope="col">{text('channel')}</th>
              <th scope="col">{text('bookings')}</th>
              <th scope="col">{text('revenue')}</th>
              <th scope="col">{text('share')}</th>
            </tr>
          </thead>
          <tbody>
            {channels.map((one) => (
              <tr key={`${one.source} ${one.channel_target_id ?? ''}`}>
                <th scope="row">
                  {one.label}
                  <i className={styles.bar} style={{ inlineSize: `${Math.round(one.share * 1000) / 10}%` }} />
                </th>
                <td>{format.number(one.bookings)}</td>
                <td>{format.money(one.revenue_cents, currency)}</td>
                <td>{format.percent(one.share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {others.length > 0 && (
        <p className={styles.hint}>
          {text('otherCurrencies', {
            amounts: others.map((one) => format.money(one.revenue_cents, one.currency)).join(', '),
          })}
        </p>
      )}
    </Section>
  )
}

import type { contract } from '@vacancy/client'

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { analyticsMessages } from './messages.ts'
import shared from '../../components/figures.module.css'
import styles from './analytics.module.css'

type Bookings = contract.Analytics['bookings']

interface Figure {
  name: string
  long?: string
  value: string
  note?: string
  earlier: string
}

interface FiguresProps {
  now: Bookings
  before: Bookings | undefined
}

/** The sums of the period, each with what it was a year before. */
export const Figures = ({ now, before }: FiguresProps) => {
  const text = useMessages(analyticsMessages)
  const format = useFormat()
  const money = (cents: number | null | undefined) =>
    cents === null || cents === undefined ? '–' : format.money(cents, now.currency)
  const percent = (rate: number | null | undefined) =>
    rate === null || rate === undefined ? '–' : format.percent(rate)
  const figures: Figure[] = [
    { name: text('occupancy'), value: percent(now.occupancy_rate), earlier: percent(before?.occupancy_rate) },
    {
      name: text('adr'),
      long: text('adrLong'),
      value: money(now.adr_cents),
      earlier: money(before?.adr_cents),
    },
    {
      ...{ name: text('revpar'), long: text('revparLong') },
      ...{ value: money(now.revpar_cents), earlier: money(before?.revpar_cents) },
    },
    { name: text('revenue'), value: money(now.revenue_cents), earlier: money(before?.revenue_cents) },
    {
      ...{ name: text('nights'), value: format.number(now.nights) },
      note: text('ofNights', { available: format.number(now.available_nights) }),
      earlier: format.number(before?.nights ?? 0),
    },
  ]
  return (
    <dl className={`${shared.figures} ${styles.figures}`}>
      {figures.map(({ name, long, value, note, earlier }) => (
        <div key={name}>
          <dt title={long}>{name}</dt>
          <dd>
            {value} {note && <small>{note}</small>}
          </dd>
          {before && <dd className={styles.earlier}>{text('yearBefore', { value: earlier })}</dd>}
        </div>
      ))}
    </dl>
  )
}

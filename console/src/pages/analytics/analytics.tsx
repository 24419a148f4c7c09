import { useMemo } from 'react'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { contract } from '@vacancy/client'

import { ButtonLink } from '../../components/button-link.tsx'
import { toCsv } from '../../components/csv.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Download } from '../../components/icons.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { saveFile } from '../../components/save-file.ts'
import { useSpaces } from '../../components/use-spaces.ts'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { dateOf, todayIn } from '../calendar/nights.ts'
import { AnalyticsFilters } from './analytics-filters.tsx'
import { adrOf, groupDays, occupancyOf, revparOf } from './buckets.ts'
import type { Bucket } from './buckets.ts'
import { Channels } from './channels.tsx'
import { Figures } from './figures.tsx'
import { analyticsMessages } from './messages.ts'
import { groupingOf, periodOf, yearBefore } from './period.ts'
import type { Grouping } from './period.ts'
import { PlotCard } from './plot-card.tsx'
import type { Series } from './plot.tsx'
import { useAnalytics } from './use-analytics.ts'
import styles from './analytics.module.css'

type Analytics = contract.Analytics

const route = getRouteApi('/analytics')

/** Occupancy, rates and revenue of a period, beside those of the year before. */
export const AnalyticsPage = () => {
  const text = useMessages(analyticsMessages)
  const search = route.useSearch()
  const spaces = useSpaces()
  const { timezone } = spaces.find(({ id }) => id === search.space) ?? spaces[0] ?? {}
  const period = periodOf(search, dateOf(todayIn(timezone)))
  const by = groupingOf(search, period)
  const { data, error, refetch, isPlaceholderData } = useAnalytics(period, search.space)
  const before = useAnalytics(yearBefore(period, by), search.space, search.compare === true)
  const buckets = useMemo(() => (data ? groupDays(data.by_day, by) : []), [data, by])
  // The figures of the period before, while those of this one are read.
  const isStale = isPlaceholderData || (search.compare === true && before.isPlaceholderData)
  return (
    <Page
      title={text('title')}
      actions={data && <ExportButton buckets={buckets} isStale={isStale} />}
      filters={<AnalyticsFilters {...{ period, by }} />}
    >
      <ProblemNote
        failure={data ? before.error : error}
        onRetry={() => void (data ? before.refetch() : refetch())}
      />
      {data && data.bookings.available_nights === 0 && data.bookings.nights === 0 ? (
        <EmptyState title={text('noNights')} action={<ButtonLink to="/units">{text('toUnits')}</ButtonLink>}>
          {text('noNightsText')}
        </EmptyState>
      ) : data ? (
        <div className={styles.content} aria-busy={isStale}>
          <Content {...{ data, by, buckets }} before={search.compare ? before.data : undefined} />
        </div>
      ) : (
        !error && <div className={styles.skeleton} role="status" aria-label={text('loading')} />
      )}
    </Page>
  )
}

interface ContentProps {
  data: Analytics
  before: Analytics | undefined
  buckets: readonly Bucket[]
  by: Grouping
}

const Content = ({ data, before, buckets, by }: ContentProps) => {
  const text = useMessages(analyticsMessages)
  const format = useFormat()
  const { currency } = data.bookings
  const earlier = useMemo(() => before && groupDays(before.by_day, by), [before, by])
  const money = (cents: number) => format.money(cents, currency)
  const shortMoney = (cents: number) => format.shortMoney(cents, currency)
  const series = useMemo(() => {
    const build = (label: string, valueOf: (bucket: Bucket) => number | null, look: Look): Series[] => [
      { label, values: buckets.map(valueOf), ...look },
      ...(earlier
        ? [
            {
              label: text('before', { name: label }),
              values: buckets.map((_, at) => (earlier[at] ? valueOf(earlier[at]) : null)),
              ...({ color: '--ink-faint', shape: 'dashes' } as const),
            },
          ]
        : []),
    ]
    return {
      occupancy: build(text('occupancy'), occupancyOf, accentLine),
      adr: build(text('adr'), adrOf, accentLine),
      revpar: build(text('revpar'), revparOf, { color: '--busy', shape: earlier ? 'line' : 'dashes' }),
      revenue: build(text('revenue'), ({ revenueCents }) => revenueCents, {
        color: '--accent',
        shape: 'bars',
      }),
    }
  }, [buckets, earlier, text])
  const plot = { buckets, by }
  return (
    <>
      <Figures now={data.bookings} before={before?.bookings} />
      <div className={styles.cards}>
        <PlotCard
          {...plot}
          title={text('occupancy')}
          series={series.occupancy}
          minTop={1}
          formatValue={format.percent}
          formatTick={format.percent}
        />
        <PlotCard
          {...plot}
          title={text('revenue')}
          series={series.revenue}
          minTop={100}
          formatValue={money}
          formatTick={shortMoney}
        />
        {earlier ? (
          (['adr', 'revpar'] as const).map((name) => (
            <PlotCard
              key={name}
              {...plot}
              title={text(`${name}Long`)}
              series={series[name]}
              minTop={100}
              formatValue={money}
              formatTick={shortMoney}
            />
          ))
        ) : (
          <PlotCard
            {...plot}
            title={text('rates')}
            series={ratesOf(series)}
            minTop={100}
            formatValue={money}
            formatTick={shortMoney}
          />
        )}
        <Channels data={data} />
      </div>
    </>
  )
}

type Look = Pick<Series, 'color' | 'shape'>
const accentLine: Look = { color: '--accent', shape: 'line' }
const ratesOf = ({ adr, revpar }: Record<'adr' | 'revpar', Series[]>) => [...adr, ...revpar]

const ExportButton = ({ buckets, isStale }: { buckets: readonly Bucket[]; isStale: boolean }) => {
  const text = useMessages(analyticsMessages)
  const save = () => {
    const lines = buckets.map((bucket) => [
      ...[bucket.from, bucket.to, bucket.nights, bucket.available],
      ...[occupancyOf(bucket)?.toFixed(4) ?? null, adrOf(bucket), revparOf(bucket), bucket.revenueCents],
    ])
    const last = buckets.at(-1)?.to ?? ''
    saveFile(toCsv([csvColumns, ...lines]), `analytics-${buckets[0]?.from ?? ''}-${last}.csv`)
  }
  return (
    <Button variant="default" leftSection={<Download />} disabled={isStale} onClick={save}>
      {text('exportCsv')}
    </Button>
  )
}

const csvColumns = [
  ...['from', 'to', 'nights_sold', 'nights_available', 'occupancy_rate', 'adr_cents', 'revpar_cents'],
  'revenue_cents',
]

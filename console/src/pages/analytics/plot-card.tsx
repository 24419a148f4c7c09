import { lazy, Suspense, useMemo, useState } from 'react'

import { Section } from '../../components/section.tsx'
import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { analyticsMessages } from './messages.ts'
import { useBucketName } from './bucket-name.ts'
import type { Bucket } from './buckets.ts'
import type { Grouping } from './period.ts'
import type { Series } from './plot.tsx'
import styles from './analytics.module.css'

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }))

interface PlotCardProps {
  title: string
  buckets: readonly Bucket[]
  by: Grouping
  series: readonly Series[]
  minTop: number
  /** As precise as the table. */
  formatValue: (value: number) => string
  /** As short as the axis. */
  formatTick: (value: number) => string
}

/** A figure over time: a plot with its legend, and the same values as a table. */
export const PlotCard = ({ title, buckets, by, series, minTop, formatValue, formatTick }: PlotCardProps) => {
  const text = useMessages(analyticsMessages)
  const [index, setIndex] = useState<number | null>(null)
  const [isOpen, setOpen] = useState(false)
  const nameOf = useBucketName(by)
  const format = useFormat()
  const dates = useMemo(
    () => buckets.map(({ from }) => (by === 'month' ? `${from.slice(0, 7)}-01` : from)),
    [buckets, by],
  )
  const pointed = index === null ? undefined : buckets[index]
  const valueAt = ({ values }: Series, at: number) => {
    const value = values[at]
    return value === null || value === undefined ? '–' : formatValue(value)
  }
  return (
    <Section title={title} actions={pointed && <span className={styles.pointed}>{nameOf(pointed)}</span>}>
      <div className={styles.legend}>
        {series.map((one) => (
          <span key={one.label} className={styles.entry}>
            <i className={styles.swatch} data-shape={one.shape} style={{ color: `var(${one.color})` }} />
            {one.label}
            {index !== null && pointed && <b>{valueAt(one, index)}</b>}
          </span>
        ))}
      </div>
      <div className={styles.plot}>
        <Suspense fallback={null}>
          <Plot
            {...{ dates, series, minTop, index }}
            label={title}
            formatDate={by === 'month' ? format.shortMonth : format.dayMonth}
            formatTick={formatTick}
            valueText={
              pointed && index !== null
                ? [nameOf(pointed), ...series.map((one) => `${one.label} ${valueAt(one, index)}`)].join(', ')
                : text('point')
            }
            onIndex={setIndex}
          />
        </Suspense>
      </div>
      <details className={styles.details} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{text('asTable')}</summary>
        {isOpen && (
          <div className={styles.scroll} tabIndex={0} role="group" aria-label={title}>
            <table className={styles.table}>
              <thead>
                <tr>
                  <th scope="col">{text(by)}</th>
                  {series.map(({ label }) => (
                    <th key={label} scope="col">
                      {label}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {buckets.map((bucket, at) => (
                  <tr key={bucket.from}>
                    <th scope="row">{nameOf(bucket)}</th>
                    {series.map((one) => (
                      <td key={one.label}>{valueAt(one, at)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </details>
    </Section>
  )
}

import { useFormat } from '../../i18n/format.ts'
import { useMessages } from '../../i18n/language.tsx'
import { causeMessages } from '../inbox/cause-messages.ts'
import { failureMessages } from './failure-messages.ts'
import { importMessages } from './messages.ts'
import { countItems } from './use-import.ts'
import type { Import } from './use-import.ts'
import styles from './import.module.css'

const stages = {
  plan: 'stageUnits',
  units: 'stageUnits',
  bookings: 'stageBookings',
  blocks: 'stageBlocks',
  photos: 'stagePhotos',
} as const satisfies Record<Import['stage'], string>

/** What is being done, and how much of it; the state is at the service, so that the page may be closed. */
export const ImportProgress = ({ current, name }: { current: Import; name: string }) => {
  const text = useMessages(importMessages)
  const causes = useMessages(causeMessages)
  const failure = useMessages(failureMessages)
  const format = useFormat()
  const isPlanning = current.status === 'planning'
  const { total, done } = countItems(current)
  const bookings = current.bookings_imported
  const figures = isPlanning
    ? text('found', { count: countItems(current, 'unit').total })
    : [
        text('done', { done: format.number(done), total: format.number(total) }),
        bookings > 0 && text('bookingsDone', { count: bookings }),
      ]
        .filter(Boolean)
        .join(' · ')
  return (
    <section className={styles.progress} aria-label={text('progress')}>
      <p role="status" className={styles.stage}>
        {isPlanning ? text('planningText', { name }) : text(stages[current.stage])}
      </p>
      {/* Without a value the bar shows that it is not known how much there is. */}
      <progress aria-label={text('progress')} max={total} {...(!isPlanning && { value: done })} />
      <p className={styles.figures}>{figures}</p>
      {current.error_code && (
        <p className={styles.waiting} role="alert">
          {failure('retrying', { cause: causes(current.error_code, { target: name }) })}
        </p>
      )}
      <p className={styles.quiet}>{text('closeText')}</p>
    </section>
  )
}

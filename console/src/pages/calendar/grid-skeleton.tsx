import { useMessages } from '../../i18n/language.tsx'
import { componentMessages } from '../../components/component-messages.ts'
import styles from './calendar.module.css'

/** The shape of the calendar while its first units are read. */
export const GridSkeleton = () => {
  const text = useMessages(componentMessages)
  return (
    <div className={styles.skeleton} role="status" aria-label={text('loading')}>
      {Array.from({ length: 14 }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}

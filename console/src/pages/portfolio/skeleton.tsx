import { useMessages } from '../../i18n/language.tsx'
import { portfolioMessages } from './messages.ts'
import styles from './skeleton.module.css'

/** Placeholder in the size of the list while it is loading. */
export const GroupSkeleton = () => {
  const text = useMessages(portfolioMessages)
  return (
    <div className={styles.groups} role="status" aria-label={text('loading')}>
      {[3, 4, 2].map((rows, index) => (
        <div key={index} className={styles.group}>
          <span className={styles.title} />
          {Array.from({ length: rows }, (_, row) => (
            <span key={row} className={styles.row} />
          ))}
        </div>
      ))}
    </div>
  )
}

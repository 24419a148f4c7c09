import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import styles from './table-skeleton.module.css'

/** Placeholder in the size of a table while it is loading. */
export const TableSkeleton = ({ rows = 8 }: { rows?: number }) => {
  const text = useMessages(componentMessages)
  return (
    <div className={styles.skeleton} role="status" aria-label={text('loading')}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}

import type { ComponentType, ReactNode } from 'react'
import { useId } from 'react'

import { ChevronDown } from '../../components/icons.tsx'
import { SelectionBox } from '../../components/record-table-selection.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { inboxMessages } from './messages.ts'
import styles from './inbox-item.module.css'

export interface ItemState {
  isOpen: boolean
  onToggle: () => void
  /** Left out where nothing can be done with several at once. */
  selection?: { isChecked: boolean; onClick: () => void }
}

interface InboxItemProps extends ItemState {
  id: string
  icon: ComponentType
  tone: 'bad' | 'wait' | 'still'
  title: string
  /** What it is about: unit, guest, dates, channel. */
  subject: ReactNode
  /** How many it stands for, when more than one. */
  count?: string | undefined
  since: string
  timeZone?: string | undefined
  actions?: ReactNode
  /** Everything else, shown when the item is unfolded. */
  children: ReactNode
}

/** One thing that waits for a person: a line that says what is wrong, and unfolds to what can be done. */
export const InboxItem = (props: InboxItemProps) => {
  const { id, icon: Icon, tone, title, subject, count, since, timeZone, actions, children } = props
  const { isOpen, onToggle, selection } = props
  const text = useMessages(inboxMessages)
  const detailsId = useId()
  return (
    <li
      className={styles.item}
      data-item={id}
      data-open={isOpen}
      data-selected={selection?.isChecked ?? false}
    >
      <div className={styles.row}>
        {selection && (
          <span className={styles.box}>
            <SelectionBox label={text('select', { name: title })} {...selection} />
          </span>
        )}
        <span className={styles.icon} data-tone={tone}>
          <Icon />
        </span>
        <div className={styles.words}>
          <h3 className={styles.title}>
            <button
              type="button"
              className={styles.toggle}
              aria-expanded={isOpen}
              aria-controls={detailsId}
              onClick={onToggle}
            >
              {title}
            </button>
          </h3>
          <p className={styles.subject}>{subject}</p>
        </div>
        {count && <span className={styles.count}>{count}</span>}
        <span className={styles.since}>
          <RelativeTime at={since} timeZone={timeZone} />
        </span>
        {actions && <div className={styles.actions}>{actions}</div>}
        <span className={styles.chevron}>
          <ChevronDown />
        </span>
      </div>
      <div id={detailsId} className={styles.details} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </li>
  )
}

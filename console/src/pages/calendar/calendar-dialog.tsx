import type { ReactNode } from 'react'
import { Modal } from '@mantine/core'

import { useMessages } from '../../i18n/language.tsx'
import { DialogRoot } from '../../components/dialog-root.tsx'
import { UnsavedChanges } from '../../components/unsaved-changes.tsx'
import { seasonMessages } from './season-messages.ts'
import styles from './calendar-dialog.module.css'

interface CalendarDialogProps {
  title: string
  /** Whether something was typed or chosen that is not saved. */
  isDirty: boolean
  onClose: () => void
  children: ReactNode
}

/** A window over the calendar for what concerns many units. */
export const CalendarDialog = ({ title, isDirty, onClose, children }: CalendarDialogProps) => {
  const text = useMessages(seasonMessages)
  return (
    <DialogRoot onClose={onClose} closeOnClickOutside={!isDirty} centered size="lg">
      <UnsavedChanges isDirty={isDirty} />
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content>
        <Modal.Body className={styles.body}>
          <div className={styles.head}>
            <Modal.Title className={styles.title}>{title}</Modal.Title>
            <Modal.CloseButton aria-label={text('close')} />
          </div>
          {children}
        </Modal.Body>
      </Modal.Content>
    </DialogRoot>
  )
}

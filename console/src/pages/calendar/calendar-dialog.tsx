import type { ReactNode } from 'react'
import { Modal } from '@mantine/core'

import { useMessages } from '../../i18n/language.tsx'
import { useReturnFocus } from '../../components/return-focus.ts'
import { seasonMessages } from './season-messages.ts'
import styles from './calendar-dialog.module.css'

interface CalendarDialogProps {
  title: string
  onClose: () => void
  children: ReactNode
}

/** A window over the calendar for what concerns many units. */
export const CalendarDialog = ({ title, onClose, children }: CalendarDialogProps) => {
  const text = useMessages(seasonMessages)
  useReturnFocus('#content')
  return (
    <Modal.Root opened onClose={onClose} centered size="lg" transitionProps={{ duration: 120 }}>
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
    </Modal.Root>
  )
}

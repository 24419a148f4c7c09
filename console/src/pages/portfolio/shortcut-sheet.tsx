import { Kbd, Modal } from '@mantine/core'

import { useMessages } from '../../i18n/language.tsx'
import { shortcutMessages } from './shortcut-messages.ts'
import styles from './shortcut-sheet.module.css'

const shortcuts: [string[], keyof (typeof shortcutMessages)['en']][] = [
  [['/'], 'search'],
  [['j', 'k'], 'move'],
  [['Enter'], 'edit'],
  [['Esc'], 'cancel'],
  [['?'], 'sheet'],
]

export const ShortcutSheet = ({ onClose }: { onClose: () => void }) => {
  const text = useMessages(shortcutMessages)
  return (
    <Modal.Root opened onClose={onClose} centered size="sm" transitionProps={{ duration: 120 }}>
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content>
        <Modal.Body className={styles.body}>
          <div className={styles.head}>
            <Modal.Title className={styles.title}>{text('title')}</Modal.Title>
            <Modal.CloseButton aria-label={text('close')} />
          </div>
          <dl className={styles.list}>
            {shortcuts.map(([keys, meaning]) => (
              <div key={meaning} className={styles.line}>
                <dt>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd>{text(meaning)}</dd>
              </div>
            ))}
          </dl>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

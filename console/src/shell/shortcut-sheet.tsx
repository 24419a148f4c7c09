import { Kbd, Modal } from '@mantine/core'

import { DialogRoot } from '../components/dialog-root.tsx'
import { useMessages } from '../i18n/language.tsx'
import { commandKey } from './command-key.ts'
import { shortcutMessages } from './shortcut-messages.ts'

import styles from './shortcut-sheet.module.css'

type Text = keyof (typeof shortcutMessages)['en']

const groups: { title: Text; shortcuts: [keys: string[], meaning: Text][] }[] = [
  {
    title: 'everywhere',
    shortcuts: [
      [[commandKey, 'K'], 'palette'],
      [['g', '…'], 'go'],
      [['Esc'], 'cancel'],
      [['?'], 'sheet'],
    ],
  },
  {
    title: 'calendar',
    shortcuts: [
      [['←', '→', '↑', '↓'], 'nights'],
      [['Shift', '→'], 'extend'],
      [[commandKey, '↓'], 'allUnits'],
      [['PgUp', 'PgDn'], 'weeks'],
      [['Enter'], 'editNights'],
      [['b'], 'booking'],
    ],
  },
  {
    title: 'lists',
    shortcuts: [
      [['/'], 'search'],
      [['j', 'k'], 'move'],
      [['Enter'], 'edit'],
    ],
  },
]

/** Every key that does something, by where it does it. */
export const ShortcutSheet = ({ onClose }: { onClose: () => void }) => {
  const text = useMessages(shortcutMessages)
  return (
    <DialogRoot onClose={onClose} centered size="md">
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content>
        <Modal.Body className={styles.body}>
          <div className={styles.head}>
            <Modal.Title className={styles.title}>{text('title')}</Modal.Title>
            <Modal.CloseButton aria-label={text('close')} />
          </div>
          {groups.map(({ title, shortcuts }) => (
            <section key={title}>
              <h3 className={styles.group}>{text(title)}</h3>
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
            </section>
          ))}
        </Modal.Body>
      </Modal.Content>
    </DialogRoot>
  )
}

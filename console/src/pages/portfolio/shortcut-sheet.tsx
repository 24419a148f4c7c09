import { Kbd, Modal } from '@mantine/core'

import look from './shortcut-sheet.module.css'

const shortcuts: [string[], string][] = [
  [['/'], 'Search'],
  [['j', 'k'], 'Next and previous unit'],
  [['Enter'], 'Change the price of the unit'],
  [['Esc'], 'Close, or leave the price as it was'],
  [['?'], 'This sheet'],
]

export const ShortcutSheet = ({ onClose }: { onClose: () => void }) => (
  <Modal.Root opened onClose={onClose} centered size="sm" transitionProps={{ duration: 120 }}>
    <Modal.Overlay backgroundOpacity={0.25} />
    <Modal.Content>
      <Modal.Body className={look.body}>
        <div className={look.head}>
          <Modal.Title className={look.title}>Keyboard shortcuts</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <dl className={look.list}>
          {shortcuts.map(([keys, meaning]) => (
            <div key={meaning} className={look.line}>
              <dt>
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </Modal.Body>
    </Modal.Content>
  </Modal.Root>
)

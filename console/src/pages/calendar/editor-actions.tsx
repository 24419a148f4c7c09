import { Button } from '@mantine/core'

import { useMessages } from '../../i18n/language.tsx'
import { seasonMessages } from './season-messages.ts'
import styles from './editor.module.css'

interface EditorActionsProps {
  maySave: boolean
  mayCopy: boolean
  onSave: () => void
  onCopy: () => void
}

/** What else can be done with the selected nights. */
export const EditorActions = ({ maySave, mayCopy, onSave, onCopy }: EditorActionsProps) => {
  const text = useMessages(seasonMessages)
  return (
    <div className={styles.actions}>
      <Button size="compact-sm" variant="subtle" disabled={!maySave} onClick={onSave}>
        {text('save')}
      </Button>
      <Button size="compact-sm" variant="subtle" disabled={!mayCopy} onClick={onCopy}>
        {text('copyTitle')}
      </Button>
    </div>
  )
}

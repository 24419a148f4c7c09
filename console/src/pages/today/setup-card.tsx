import { useState } from 'react'
import { Button } from '@mantine/core'

import { ButtonLink } from '../../components/button-link.tsx'
import { useMessages } from '../../i18n/language.tsx'
import type { Today } from '../../live/today.ts'
import { countDone, steps } from '../start/steps.ts'
import { todayMessages } from './messages.ts'
import styles from './setup-card.module.css'

/** An organization that sells without a PMS never finishes the steps. */
const hiddenKey = 'vacancy.setup-hidden'

/** How far the organization is on the way to its first sync, until it is there. */
export const SetupCard = ({ setup }: { setup: Today['setup'] }) => {
  const text = useMessages(todayMessages)
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) !== null)
  const done = countDone(setup)
  if (isHidden || done === steps.length) return null
  const hide = () => {
    localStorage.setItem(hiddenKey, 'true')
    setHidden(true)
  }
  return (
    <div className={styles.card}>
      <meter className={styles.meter} aria-hidden="true" max={steps.length} value={done} />
      <span className={styles.words}>{text('setup', { done, count: steps.length })}</span>
      <Button variant="subtle" size="compact-sm" onClick={hide}>
        {text('hide')}
      </Button>
      <ButtonLink to="/start" size="compact-sm">
        {text('goOn')}
      </ButtonLink>
    </div>
  )
}

import { useState } from 'react'
import { Button } from '@mantine/core'

import { ButtonLink } from '../../components/button-link.tsx'
import { useMessages } from '../../i18n/language.tsx'
import type { Today } from '../../live/today.ts'
import { useCaller } from '../../session/api.tsx'
import { countDone, steps } from '../start/steps.ts'
import { todayMessages } from './messages.ts'
import styles from './setup-card.module.css'

/** How far the organization is on the way to its first sync, until it is there. */
export const SetupCard = ({ setup }: { setup: Today['setup'] }) => {
  const text = useMessages(todayMessages)
  const { caller } = useCaller()
  const [isHidden, setHidden] = useState(false)
  const done = countDone(setup)
  if (!caller || isHidden || done === steps.length) return null
  // An organization that sells without a PMS never finishes the steps.
  const key = `setup-hidden ${caller.organization.id}`
  if (localStorage.getItem(key) !== null) return null
  const hide = () => {
    localStorage.setItem(key, 'true')
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

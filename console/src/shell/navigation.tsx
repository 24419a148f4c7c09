import type { MouseEvent } from 'react'
import { Link } from '@tanstack/react-router'

import { More } from '../components/icons.tsx'
import { useMessages } from '../i18n/language.tsx'
import { attentionCount, useToday } from '../live/today.ts'
import { useCaller } from '../session/api.tsx'
import { screens } from './screens.ts'
import type { Screen } from './screens.ts'
import { shellMessages } from './shell-messages.ts'
import styles from './navigation.module.css'

/** How many screens have a place of their own at the bottom of a phone. */
const onPhone = 4

/** The links to all screens: a column beside the content; on a phone a bar below it, with a list of the rest. */
export const Navigation = () => {
  const text = useMessages(shellMessages)
  const { caller, may } = useCaller()
  const allowed = screens.filter(({ permission }) => !caller || may(permission))
  return (
    <nav className={styles.navigation} aria-label={text('navigation')}>
      {allowed.slice(0, onPhone).map((screen) => (
        <ScreenLink key={screen.to} {...screen} />
      ))}
      <div id="more-screens" popover="auto" className={styles.rest} onClick={closeRest}>
        {allowed.slice(onPhone).map((screen) => (
          <ScreenLink key={screen.to} {...screen} />
        ))}
      </div>
      <button type="button" className={`${styles.link} ${styles.more}`} popoverTarget="more-screens">
        <More />
        <span>{text('more')}</span>
      </button>
    </nav>
  )
}

const closeRest = ({ currentTarget }: MouseEvent<HTMLElement>) => {
  if (currentTarget.matches(':popover-open')) currentTarget.hidePopover()
}

const ScreenLink = ({ to, label, icon: Icon, hasCount }: Screen) => {
  const text = useMessages(shellMessages)
  return (
    <Link to={to} className={styles.link} activeOptions={{ exact: to === '/', includeSearch: false }}>
      <Icon />
      <span>{text(label)}</span>
      {hasCount && <WaitingCount />}
    </Link>
  )
}

const maxCount = 99

const WaitingCount = () => {
  const text = useMessages(shellMessages)
  const { data: today } = useToday()
  const count = today ? attentionCount(today) : 0
  if (count === 0) return null
  return (
    <strong className={styles.count} role="img" aria-label={text('waiting', { count })}>
      {count > maxCount ? `${maxCount}+` : count}
    </strong>
  )
}

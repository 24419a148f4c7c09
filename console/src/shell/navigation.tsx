import { Link } from '@tanstack/react-router'

import { useMessages } from '../i18n/language.tsx'
import { attentionCount, useToday } from '../live/today.ts'
import { useCaller } from '../session/api.tsx'
import { screens } from './screens.ts'
import { shellMessages } from './shell-messages.ts'
import styles from './navigation.module.css'

/** The links to all screens: a column beside the content, and a bar below it on a phone. */
export const Navigation = () => {
  const text = useMessages(shellMessages)
  const { caller, may } = useCaller()
  const allowed = screens.filter(({ permission }) => !caller || may(permission))
  return (
    <nav className={styles.navigation} aria-label={text('navigation')}>
      {allowed.map(({ to, label, icon: Icon, hasCount }) => (
        <Link
          key={to}
          to={to}
          className={styles.link}
          activeOptions={{ exact: to === '/', includeSearch: false }}
        >
          <Icon />
          <span>{text(label)}</span>
          {hasCount && <WaitingCount />}
        </Link>
      ))}
    </nav>
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

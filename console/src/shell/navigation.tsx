import { Link } from '@tanstack/react-router'

import { useMessages } from '../i18n/language.tsx'
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
      {allowed.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={styles.link}
          activeOptions={{ exact: to === '/', includeSearch: false }}
        >
          <Icon />
          <span>{text(label)}</span>
        </Link>
      ))}
    </nav>
  )
}

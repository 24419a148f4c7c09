import { Link, Outlet } from '@tanstack/react-router'

import { Mark, Search } from '../components/icons.tsx'
import { ProblemNote } from '../components/problem-note.tsx'
import { ToastProvider } from '../components/toast.tsx'
import { useMessages } from '../i18n/language.tsx'
import { ConnectionContext } from '../live/connection.ts'
import { useEventStream } from '../live/event-stream.ts'
import { isRefusal, useCaller } from '../session/api.tsx'
import { useSession } from '../session/session.tsx'
import { StartFailure } from '../session/start-failure.tsx'
import { AccountButton } from './account-button.tsx'
import { commandKey } from './command-key.ts'
import { useKeepFocus } from './keep-focus.ts'
import { LeaveQuestion } from './leave-question.tsx'
import { Navigation } from './navigation.tsx'
import { Shortcuts, useOpenWindow } from './shortcuts.tsx'
import { shellMessages } from './shell-messages.ts'
import styles from './shell.module.css'

/** What surrounds every screen: organization, connection, account, and the links to the other screens. */
export const Shell = () => {
  const text = useMessages(shellMessages)
  const connection = useEventStream()
  useKeepFocus()
  const { signOut } = useSession()
  const { caller, error, refetch } = useCaller()
  if (isRefusal(error)) return <StartFailure failure={error} onSignOut={signOut} />
  return (
    <ConnectionContext value={connection}>
      <ToastProvider>
        <Shortcuts>
          <a className={styles.skip} href="#content">
            {text('skip')}
          </a>
          <LeaveQuestion />
          <header className={styles.bar}>
            <Link to="/" className={styles.brand} aria-label={text('home')}>
              <Mark />
              <span className={styles.name}>Vacancy</span>
            </Link>
            <span className={styles.organization}>{caller?.organization.name}</span>
            <PaletteButton />
            <span className={styles.connection} data-connection={connection} title={text(`${connection}Why`)}>
              {text(connection)}
            </span>
            {caller ? <AccountButton caller={caller} /> : <span className={styles.initials} />}
          </header>
          <div className={styles.columns}>
            <Navigation />
            <main id="content" className={styles.content} tabIndex={-1}>
              {!caller && <ProblemNote failure={error} onRetry={() => void refetch()} />}
              <Outlet />
            </main>
          </div>
        </Shortcuts>
      </ToastProvider>
    </ConnectionContext>
  )
}

const PaletteButton = () => {
  const text = useMessages(shellMessages)
  const open = useOpenWindow()
  return (
    <button type="button" className={styles.palette} title={text('palette')} onClick={() => open('palette')}>
      <Search />
      <span>{text('search')}</span>
      <kbd aria-hidden="true">{commandKey} K</kbd>
    </button>
  )
}

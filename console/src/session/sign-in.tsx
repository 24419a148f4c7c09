import { useState } from 'react'
import { Button } from '@mantine/core'

import { Mark } from '../components/icons.tsx'
import { useMessages } from '../i18n/language.tsx'
import { sessionMessages } from './session-messages.ts'
import { useSession } from './session.tsx'
import styles from './sign-in.module.css'

/** One button, which leads to the identity provider and back to the address that was asked for. */
export const SignIn = () => {
  const text = useMessages(sessionMessages)
  const { signIn, signInFailure } = useSession()
  const [isUnreachable, setUnreachable] = useState(false)
  const [isRedirecting, setRedirecting] = useState(false)

  const redirect = () => {
    setUnreachable(false)
    setRedirecting(true)
    signIn().catch(() => {
      setRedirecting(false)
      setUnreachable(true)
    })
  }

  const notice = isUnreachable
    ? text('providerUnreachable')
    : signInFailure !== null && text('signInFailed', { reason: signInFailure })

  return (
    <main className={styles.page}>
      <title>{text('title')}</title>
      <div className={styles.card}>
        <Mark />
        <h1 className={styles.title}>Vacancy</h1>
        <p className={styles.text}>{text('intro')}</p>
        {notice && (
          <p className={styles.notice} role="alert">
            {notice}
          </p>
        )}
        <Button fullWidth size="md" onClick={redirect} disabled={isRedirecting} data-autofocus>
          {text('signIn')}
        </Button>
        <p className={styles.small}>{text('account')}</p>
      </div>
    </main>
  )
}

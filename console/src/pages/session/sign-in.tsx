import { useState } from 'react'
import { Button } from '@mantine/core'

import { Mark } from '../../parts/icons.tsx'
import { useSession } from '../../session.tsx'
import look from './sign-in.module.css'

/** The door: one button, which leads to the identity provider and back to where one wanted to be. */
export const SignIn = () => {
  const { signIn, notice } = useSession()
  const [fault, setFault] = useState<string | null>(null)
  const [leaving, setLeaving] = useState(false)

  const go = () => {
    setFault(null)
    setLeaving(true)
    signIn().catch(() => {
      setLeaving(false)
      setFault('The identity provider could not be reached. Try again in a moment.')
    })
  }

  return (
    <main className={look.page}>
      <title>Sign in · Vacancy</title>
      <div className={look.card}>
        <Mark />
        <h1 className={look.title}>Vacancy</h1>
        <p className={look.text}>Your units, prices and listings, and whether the PMS has them.</p>
        {(fault ?? notice) && (
          <p className={look.notice} role="alert">
            {fault ?? notice}
          </p>
        )}
        <Button fullWidth size="md" onClick={go} disabled={leaving} data-autofocus>
          Sign in
        </Button>
        <p className={look.small}>You sign in with your organization’s account.</p>
      </div>
    </main>
  )
}

import { useRef, useState } from 'react'
import { Button, Modal } from '@mantine/core'

import dialog from '../components/confirm-dialog.module.css'
import { DialogRoot } from '../components/dialog-root.tsx'
import { discardUnsaved } from '../components/unsaved-changes.tsx'
import { useMessages } from '../i18n/language.tsx'
import type { Identity } from './identity.ts'
import { forgetOrganization } from './organization.ts'
import { sessionMessages } from './session-messages.ts'
import styles from './sign-in.module.css'

interface SignInAgainProps {
  identity: Identity
  /** Signs in on the page itself. */
  signIn: () => Promise<void>
  onSignedIn: (token: string) => void
}

/**
 * Over the page when the session has ended by itself: the person signs in in another window, and the page goes on with
 * all that was typed. It hides the page, which another person may be looking at by then.
 */
export const SignInAgain = ({ identity, signIn, onSignedIn }: SignInAgainProps) => {
  const text = useMessages(sessionMessages)
  const [failure, setFailure] = useState<string | null>(null)
  const attempt = useRef(new AbortController())

  const signInInWindow = async () => {
    attempt.current.abort()
    const { signal } = (attempt.current = new AbortController())
    setFailure(null)
    try {
      const before = identity.tokens()?.profile.sub
      const manager = await identity.manager()
      const { profile, access_token: token } = await manager.signinPopup({ popupSignal: signal })
      if (profile.sub === before) return onSignedIn(token)
      // What is on the page, and what waits to be sent, is of another person.
      discardUnsaved()
      forgetOrganization()
      location.assign('/')
    } catch (cause) {
      if (signal.aborted) return
      const isRejected = cause instanceof Error && cause.name === 'ErrorResponse'
      setFailure(isRejected ? text('signInFailed', { reason: cause.message }) : text('windowFailed'))
    }
  }

  const signInHere = () => {
    discardUnsaved()
    signIn().catch(() => setFailure(text('providerUnreachable')))
  }

  return (
    <DialogRoot
      onClose={() => {}}
      closeOnClickOutside={false}
      closeOnEscape={false}
      centered
      size="md"
      zIndex={1000}
    >
      <Modal.Overlay backgroundOpacity={0.6} blur={12} />
      <Modal.Content>
        <Modal.Body className={dialog.body}>
          <Modal.Title className={dialog.title}>{text('sessionEnded')}</Modal.Title>
          <div className={dialog.text}>
            <p>{text('signInAgain')}</p>
            {failure !== null && (
              <>
                <p className={styles.notice} role="alert">
                  {failure}
                </p>
                <p>{text('discards')}</p>
              </>
            )}
          </div>
          <div className={dialog.buttons}>
            {failure !== null && (
              <Button variant="default" onClick={signInHere}>
                {text('signInHere')}
              </Button>
            )}
            <Button data-autofocus onClick={() => void signInInWindow()}>
              {text('signIn')}
            </Button>
          </div>
        </Modal.Body>
      </Modal.Content>
    </DialogRoot>
  )
}

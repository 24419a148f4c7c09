import { Button } from '@mantine/core'
import { Problem } from '@vacancy/client'

import { EmptyState } from '../components/empty-state.tsx'
import { originalText, useFailureText } from '../i18n/failure-text.ts'
import { useMessages } from '../i18n/language.tsx'
import { sessionMessages } from './session-messages.ts'

interface StartFailureProps {
  failure: unknown
  /** Of a person who has signed in. */
  onSignOut?: () => Promise<void>
}

/** Shown when the service behind the page does not answer, or refuses the person who has signed in. */
export const StartFailure = ({ failure, onSignOut }: StartFailureProps) => {
  const text = useMessages(sessionMessages)
  const describe = useFailureText()
  const original = originalText(failure)
  return (
    <main style={{ maxWidth: 560, margin: '18vh auto 0', padding: 'var(--gutter)' }}>
      <EmptyState
        isPage
        tone="bad"
        title={text(failure instanceof Problem && failure.status === 403 ? 'noAccess' : 'cannotStart')}
        action={
          <>
            <Button onClick={() => location.reload()}>{text('tryAgain')}</Button>
            {onSignOut && (
              <Button variant="default" onClick={() => void onSignOut()}>
                {text('signOut')}
              </Button>
            )}
          </>
        }
      >
        {describe(failure)}
        {original && <p lang="en">{original}</p>}
      </EmptyState>
    </main>
  )
}

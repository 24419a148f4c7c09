import { Button } from '@mantine/core'

import { EmptyState } from '../components/empty-state.tsx'
import { useMessages } from '../i18n/language.tsx'
import { sessionMessages } from './session-messages.ts'

/** Shown when the page itself was served but the service behind it does not answer. */
export const StartFailure = ({ failure }: { failure: unknown }) => {
  const text = useMessages(sessionMessages)
  return (
    <main style={{ maxWidth: 560, margin: '18vh auto 0', padding: 'var(--gutter)' }}>
      <EmptyState
        isPage
        tone="bad"
        title={text('cannotStart')}
        action={<Button onClick={() => location.reload()}>{text('tryAgain')}</Button>}
      >
        {failure instanceof Error ? failure.message : String(failure)}
      </EmptyState>
    </main>
  )
}

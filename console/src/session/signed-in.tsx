import { EmptyState } from '../components/empty-state.tsx'
import { useMessages } from '../i18n/language.tsx'
import { sessionMessages } from './session-messages.ts'

/** In a window that was opened to sign in, where the browser does not let it close itself. */
export const SignedIn = () => {
  const text = useMessages(sessionMessages)
  return (
    <main style={{ maxWidth: 560, margin: '18vh auto 0', padding: 'var(--gutter)' }}>
      <EmptyState isPage title={text('signedIn')}>
        {text('closeWindow')}
      </EmptyState>
    </main>
  )
}

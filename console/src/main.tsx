import { createRoot } from 'react-dom/client'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Problem } from '@vacancy/client'

import { reloadIfReachable } from './components/missing-module.ts'
import { absoluteBase, ApiProvider, revokeTokenAt } from './session/api.tsx'
import { App, preloadScreen } from './app.tsx'
import { LanguageProvider } from './i18n/language.tsx'
import { StartFailure } from './session/start-failure.tsx'
import { readSettings } from './session/console-settings.ts'
import { openIdentity } from './session/identity.ts'
import { finishSignIn, SessionProvider } from './session/session.tsx'
import { SignedIn } from './session/signed-in.tsx'
import { cssVariables, theme } from './theme.ts'

// A page that was open during a release asks for files that no longer exist: it is reloaded, but not in a circle.
addEventListener('vite:preloadError', ({ payload }) => {
  // The router has seen that it reloaded for this already, so that it does not do so where the service does not answer.
  sessionStorage.setItem(`tanstack_router_reload:${payload.message}`, '1')
  const reloadedAt = Number(sessionStorage.getItem('reloaded-for-release'))
  if (Date.now() - reloadedAt < 60_000) return
  sessionStorage.setItem('reloaded-for-release', String(Date.now()))
  void reloadIfReachable()
})

// What the browser shows again by going back may be of another organization, or of somebody who has signed out since.
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  document.getElementById('root')?.remove()
  location.reload()
})

/** How long the service asks to wait, as after too many requests: then the page asks again by itself. */
const waitMsOf = (failure: unknown) =>
  failure instanceof Problem &&
  failure.retryAfterSeconds !== null &&
  Math.max(1, failure.retryAfterSeconds) * 1_000

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, failure) => count < 2 && !(failure instanceof Problem),
      refetchInterval: ({ state }) => waitMsOf(state.error),
    },
  },
})

const start = async () => {
  const settings = await readSettings()
  const identity = openIdentity(settings)
  const { failure: signInFailure, isForOtherWindow } = await finishSignIn(identity)
  if (isForOtherWindow) return <SignedIn />
  const baseUrl = absoluteBase(settings.api_base)
  const revokeToken = revokeTokenAt(baseUrl)
  return (
    <SessionProvider {...{ identity, signInFailure, revokeToken }}>
      <ApiProvider baseUrl={baseUrl}>
        <App />
      </ApiProvider>
    </SessionProvider>
  )
}

preloadScreen()
const page = await start().catch((failure: unknown) => <StartFailure failure={failure} />)

createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
    <LanguageProvider>
      <QueryClientProvider client={queries}>{page}</QueryClientProvider>
    </LanguageProvider>
  </MantineProvider>,
)

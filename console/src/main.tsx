import { createRoot } from 'react-dom/client'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Problem } from '@vacancy/client'

import { absoluteBase, ApiProvider, endingAt } from './api.tsx'
import { App } from './app.tsx'
import { StartFailure } from './pages/session/start-failure.tsx'
import { finishSignIn, openIdentity, readFacts, SessionProvider } from './session.tsx'
import { ourVariables, theme } from './theme.ts'

// A page left open over a release asks for files that are gone; loading it anew is the cure, once.
addEventListener('vite:preloadError', () => {
  if (sessionStorage.getItem('loaded-anew')) return
  sessionStorage.setItem('loaded-anew', 'yes')
  location.reload()
})

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, failure) => count < 2 && !(failure instanceof Problem),
    },
  },
})

const start = async () => {
  const facts = await readFacts()
  const identity = openIdentity(facts)
  const fault = await finishSignIn(identity)
  const first = await identity.getUser()
  const baseUrl = absoluteBase(facts.api_base)
  const endAtApi = endingAt(baseUrl)
  return (
    <SessionProvider {...{ identity, first, fault, endAtApi }}>
      <ApiProvider baseUrl={baseUrl}>
        <App />
      </ApiProvider>
    </SessionProvider>
  )
}

const page = await start().catch((failure: unknown) => <StartFailure failure={failure} />)

createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} cssVariablesResolver={ourVariables} defaultColorScheme="auto">
    <QueryClientProvider client={queries}>{page}</QueryClientProvider>
  </MantineProvider>,
)

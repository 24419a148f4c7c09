import { createContext, useContext, useMemo, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'

import { hasExpired } from './identity.ts'
import type { Identity } from './identity.ts'
import { forgetOrganization } from './organization.ts'

export interface Session {
  signedIn: boolean
  /** Why signing in failed. */
  signInFailure: string | null
  signIn: () => Promise<void>
  signOut: () => Promise<void>
  token: () => Promise<string | null>
  /**
   * A new token in place of a rejected one. When the session is over, this waits until the person has signed in again,
   * so that nothing on the page is lost. Null after a sign-out; throws while the provider cannot be reached.
   */
  renew: () => Promise<string | null>
}

/** What a redirect of the identity provider led to. */
interface FinishedSignIn {
  failure: string | null
  /** Whether another window had opened this one for it, and goes on by itself. */
  isForOtherWindow: boolean
}

/** Completes a sign-in when the identity provider redirects back. */
export const finishSignIn = async (identity: Identity): Promise<FinishedSignIn> => {
  const finished = { failure: null, isForOtherWindow: false }
  if (location.pathname !== '/callback') return finished
  try {
    const user = await (await identity.manager()).signinCallback()
    history.replaceState(null, '', typeof user?.state === 'string' ? user.state : '/')
    return { ...finished, isForOtherWindow: !user }
  } catch (cause) {
    history.replaceState(null, '', '/')
    return { ...finished, failure: cause instanceof Error ? cause.message : String(cause) }
  }
}

const SessionContext = createContext<Session | null>(null)

export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession is used outside the session')
  return session
}

interface SessionProps {
  identity: Identity
  signInFailure: string | null
  /** Called with the token when a person signs out, so that the API refuses it from then on. */
  revokeToken: (token: string) => Promise<void>
  children: ReactNode
}

export const SessionProvider = ({ identity, signInFailure, revokeToken, children }: SessionProps) => {
  const signedIn = useSyncExternalStore(identity.subscribe, () => identity.tokens() !== null)
  const [dialog, setDialog] = useState<ReactNode>(null)

  const session = useMemo<Session>(() => {
    const signIn = async () => {
      forgetOrganization()
      const manager = await identity.manager()
      await manager.signinRedirect({ state: location.pathname + location.search })
    }
    const askToSignIn = async () => {
      const { SignInAgain } = await import('./sign-in-again.tsx')
      const token = await new Promise<string>((resolve) =>
        setDialog(<SignInAgain {...{ identity, signIn }} onSignedIn={resolve} />),
      )
      setDialog(null)
      return token
    }
    const renewToken = async () => {
      const manager = await identity.manager()
      return (await manager.signinSilent())?.access_token ?? null
    }
    const renew = singleFlight(async () => {
      const token = identity.tokens()?.refresh_token ? await renewToken().catch(nullIfRejected) : null
      return token ?? (identity.tokens() ? askToSignIn() : null)
    })
    return {
      signedIn,
      signInFailure,
      renew,
      signIn,
      signOut: async () => {
        const tokens = identity.tokens()
        if (tokens && !hasExpired(tokens)) await revokeToken(tokens.access_token).catch(() => {})
        const manager = await identity.manager()
        await manager.signoutRedirect().catch(() => manager.removeUser())
      },
      token: async () => {
        const tokens = identity.tokens()
        return tokens && hasExpired(tokens) ? renew() : (tokens?.access_token ?? null)
      },
    }
  }, [identity, revokeToken, signedIn, signInFailure])

  return (
    <SessionContext value={session}>
      {children}
      {dialog}
    </SessionContext>
  )
}

/** The first two as in RFC 6749 (4.1.2.1), the last one as Auth0 answers. */
const temporaryErrors = new Set(['server_error', 'temporarily_unavailable', 'too_many_requests'])

/** A provider that cannot answer has rejected nothing: the session goes on, and the next request tries again. */
const nullIfRejected = (failure: unknown): null => {
  const code = failure instanceof Error && 'error' in failure ? failure.error : null
  if (typeof code === 'string' && !temporaryErrors.has(code)) return null
  throw failure
}

const singleFlight = <T,>(call: () => Promise<T>) => {
  let running: Promise<T> | null = null
  return () => (running ??= call().finally(() => (running = null)))
}

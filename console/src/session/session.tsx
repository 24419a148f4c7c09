import { createContext, useContext, useMemo, useState, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'

import { hasExpired } from './identity.ts'
import type { Identity } from './identity.ts'
import { forgetOrganization } from './organization.ts'

/** The session ended by itself, or signing in failed with this message. */
export type SignInNotice = { ended: true } | { failed: string }

export interface Session {
  signedIn: boolean
  /** Why there is no session; null before the first sign-in. */
  notice: SignInNotice | null
  signIn: () => Promise<void>
  signOut: () => Promise<void>
  token: () => Promise<string | null>
  /** A new token in place of a rejected one, or null when the session is over; throws while that is not known. */
  renew: () => Promise<string | null>
}

/** Completes a sign-in when the identity provider redirects back; returns why it failed, or null. */
export const finishSignIn = async (identity: Identity): Promise<SignInNotice | null> => {
  if (location.pathname !== '/callback') return null
  try {
    const user = await (await identity.manager()).signinCallback()
    history.replaceState(null, '', typeof user?.state === 'string' ? user.state : '/')
    return null
  } catch (cause) {
    history.replaceState(null, '', '/')
    return { failed: cause instanceof Error ? cause.message : String(cause) }
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
  initialNotice: SignInNotice | null
  /** Called with the token when a person signs out, so that the API refuses it from then on. */
  revokeToken: (token: string) => Promise<void>
  children: ReactNode
}

export const SessionProvider = ({ identity, initialNotice, revokeToken, children }: SessionProps) => {
  const signedIn = useSyncExternalStore(identity.subscribe, () => identity.tokens() !== null)
  const [notice, setNotice] = useState(initialNotice)

  const session = useMemo<Session>(() => {
    const end = async () => {
      setNotice({ ended: true })
      await (await identity.manager()).removeUser()
    }
    const renewToken = async () => {
      const manager = await identity.manager()
      return (await manager.signinSilent())?.access_token ?? null
    }
    const renew = singleFlight(async () => {
      const token = identity.tokens()?.refresh_token ? await renewToken().catch(nullIfRejected) : null
      if (token === null) await end()
      return token
    })
    return {
      signedIn,
      notice,
      renew,
      signIn: async () => {
        forgetOrganization()
        const manager = await identity.manager()
        await manager.signinRedirect({ state: location.pathname + location.search })
      },
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
  }, [identity, revokeToken, signedIn, notice])

  return <SessionContext value={session}>{children}</SessionContext>
}

/** A provider that cannot be reached has rejected nothing: the session goes on, and the next request tries again. */
const nullIfRejected = (failure: unknown): null => {
  if (failure instanceof Error && failure.name === 'ErrorResponse') return null
  throw failure
}

const singleFlight = <T,>(call: () => Promise<T>) => {
  let running: Promise<T> | null = null
  return () => (running ??= call().finally(() => (running = null)))
}

import { createContext, useContext, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { UserManager, WebStorageStateStore } from 'oidc-client-ts'
import type { User } from 'oidc-client-ts'

import { forgetOrganization } from './organization.ts'

/** Where to sign in, and where the API is; served at `/console.json`. */
export interface ConsoleSettings {
  issuer: string
  client_id: string
  scope: string
  /** What the token is for, at providers that want to be told in this way (RFC 8707). */
  resource: string | null
  extra_params: Record<string, string>
  api_base: string
}

/** The session ended by itself, or signing in failed with this message. */
export type SignInNotice = { ended: true } | { failed: string }

export interface Session {
  signedIn: boolean
  /** Why there is no session; null before the first sign-in. */
  notice: SignInNotice | null
  signIn: () => Promise<void>
  signOut: () => Promise<void>
  token: () => Promise<string | null>
  /** A new token in place of a refused one, or null when the session is over. */
  renew: () => Promise<string | null>
}

export const readSettings = async (): Promise<ConsoleSettings> => {
  const response = await fetch('/console.json', { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The service answered ${response.status} instead of its settings.`)
  return (await response.json()) as ConsoleSettings
}

/** Keeps tokens in this tab only; they are deleted when it is closed. */
export const openUserManager = (settings: ConsoleSettings): UserManager =>
  new UserManager({
    authority: settings.issuer,
    client_id: settings.client_id,
    redirect_uri: `${location.origin}/callback`,
    post_logout_redirect_uri: `${location.origin}/`,
    scope: settings.scope,
    ...(settings.resource !== null && { resource: settings.resource }),
    extraQueryParams: settings.extra_params,
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    automaticSilentRenew: true,
    loadUserInfo: false,
    monitorSession: false,
  })

/** Completes a sign-in when the identity provider redirects back; returns why it failed, or null. */
export const finishSignIn = async (identity: UserManager): Promise<SignInNotice | null> => {
  if (location.pathname !== '/callback') return null
  try {
    const user = await identity.signinCallback()
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
  identity: UserManager
  /** Who was signed in when the page was loaded. */
  initialUser: User | null
  initialNotice: SignInNotice | null
  /** Called with the token when a person signs out, so that the API refuses it from then on. */
  revokeToken: (token: string) => Promise<void>
  children: ReactNode
}

export const SessionProvider = ({
  identity,
  initialUser,
  initialNotice,
  revokeToken,
  children,
}: SessionProps) => {
  const [user, setUser] = useState(initialUser)
  const [notice, setNotice] = useState(initialNotice)

  useEffect(() => {
    const unsubscribes = [
      identity.events.addUserLoaded(setUser),
      identity.events.addUserUnloaded(() => setUser(null)),
    ]
    return () => unsubscribes.forEach((unsubscribe) => unsubscribe())
  }, [identity])

  const session = useMemo<Session>(() => {
    const end = async () => {
      setNotice({ ended: true })
      await identity.removeUser()
    }
    const renew = singleFlight(async () => {
      const current = await identity.getUser()
      const renewed = current?.refresh_token ? await identity.signinSilent().catch(() => null) : null
      if (!renewed) await end()
      return renewed?.access_token ?? null
    })
    return {
      signedIn: user !== null,
      notice,
      renew,
      signIn: () => {
        forgetOrganization()
        return identity.signinRedirect({ state: location.pathname + location.search })
      },
      signOut: async () => {
        const current = await identity.getUser()
        if (current && !current.expired) await revokeToken(current.access_token).catch(() => {})
        await identity.signoutRedirect().catch(() => identity.removeUser())
      },
      token: async () => {
        const current = await identity.getUser()
        return current?.expired ? renew() : (current?.access_token ?? null)
      },
    }
  }, [identity, revokeToken, user !== null, notice])

  return <SessionContext value={session}>{children}</SessionContext>
}

const singleFlight = <T,>(call: () => Promise<T>) => {
  let running: Promise<T> | null = null
  return () => (running ??= call().finally(() => (running = null)))
}

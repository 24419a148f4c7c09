import { createContext, useContext, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { UserManager, WebStorageStateStore } from 'oidc-client-ts'
import type { User } from 'oidc-client-ts'

/** What the API says about where to sign in and where it answers itself. */
export interface Facts {
  issuer: string
  client_id: string
  audience: string
  api_base: string
}

export interface Session {
  signedIn: boolean
  /** Why nobody is signed in, when that is worth saying. */
  notice: string | null
  signIn: () => Promise<void>
  signOut: () => Promise<void>
  token: () => Promise<string | null>
  /** A new token in place of a refused one, or null when the session is over. */
  renew: () => Promise<string | null>
}

export const readFacts = async (): Promise<Facts> => {
  const response = await fetch('/console.json', { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The service answered ${response.status} instead of its settings.`)
  return (await response.json()) as Facts
}

/** Tokens live in this tab only, and are gone when it is closed. */
export const openIdentity = (facts: Facts): UserManager =>
  new UserManager({
    authority: facts.issuer,
    client_id: facts.client_id,
    redirect_uri: `${location.origin}/callback`,
    post_logout_redirect_uri: `${location.origin}/`,
    scope: 'openid profile email offline_access',
    resource: facts.audience,
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    automaticSilentRenew: true,
    loadUserInfo: false,
    monitorSession: false,
  })

/** Finishes a sign-in that comes back from the identity provider; gives what went wrong, if something did. */
export const finishSignIn = async (identity: UserManager): Promise<string | null> => {
  if (location.pathname !== '/callback') return null
  try {
    const user = await identity.signinCallback()
    history.replaceState(null, '', typeof user?.state === 'string' ? user.state : '/')
    return null
  } catch (cause) {
    history.replaceState(null, '', '/')
    const reason = cause instanceof Error ? cause.message : String(cause)
    return `Signing in did not work: ${reason}`
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
  first: User | null
  fault: string | null
  /** Called with the token before it is forgotten, so that the API forgets it too. */
  endAtApi: (token: string) => Promise<void>
  children: ReactNode
}

export const SessionProvider = ({ identity, first, fault, endAtApi, children }: SessionProps) => {
  const [user, setUser] = useState(first)
  const [notice, setNotice] = useState(fault)

  useEffect(() => {
    const stops = [
      identity.events.addUserLoaded(setUser),
      identity.events.addUserUnloaded(() => setUser(null)),
    ]
    return () => stops.forEach((stop) => stop())
  }, [identity])

  const session = useMemo<Session>(() => {
    const end = async () => {
      setNotice('Your session has ended. Sign in again to go on where you were.')
      await identity.removeUser()
    }
    const renew = onlyOneAtATime(async () => {
      const current = await identity.getUser()
      const renewed = current?.refresh_token ? await identity.signinSilent().catch(() => null) : null
      if (!renewed) await end()
      return renewed?.access_token ?? null
    })
    return {
      signedIn: user !== null,
      notice,
      renew,
      signIn: () => identity.signinRedirect({ state: location.pathname + location.search }),
      signOut: async () => {
        const current = await identity.getUser()
        if (current && !current.expired) await endAtApi(current.access_token).catch(() => {})
        await identity.signoutRedirect().catch(() => identity.removeUser())
      },
      token: async () => {
        const current = await identity.getUser()
        return current?.expired ? renew() : (current?.access_token ?? null)
      },
    }
  }, [identity, endAtApi, user !== null, notice])

  return <SessionContext value={session}>{children}</SessionContext>
}

const onlyOneAtATime = <T,>(work: () => Promise<T>) => {
  let running: Promise<T> | null = null
  return () => (running ??= work().finally(() => (running = null)))
}

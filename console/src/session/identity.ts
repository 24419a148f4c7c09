import type { UserManager } from 'oidc-client-ts'

import type { ConsoleSettings } from './console-settings.ts'

/** What `oidc-client-ts` keeps of the person who is signed in. */
interface Tokens {
  access_token: string
  refresh_token?: string
  /** In seconds since 1970. */
  expires_at?: number
  profile: { sub: string }
}

/** The person who is signed in, and the identity provider. */
export interface Identity {
  tokens: () => Tokens | null
  /** Calls the listener when a person was signed in or out. */
  subscribe: (listener: () => void) => () => void
  /** The library that speaks with the provider. It is loaded when it has something to do: a screen needs only the token. */
  manager: () => Promise<UserManager>
}

export const openIdentity = (settings: ConsoleSettings): Identity => {
  const listeners = new Set<() => void>()
  const notify = () => listeners.forEach((listener) => listener())
  const load = async () => {
    const { openUserManager } = await import('./user-manager.ts')
    const manager = openUserManager(settings)
    manager.events.addUserLoaded(notify)
    manager.events.addUserUnloaded(notify)
    return manager
  }
  let loading: Promise<UserManager> | null = null
  const manager = () =>
    (loading ??= load().catch((cause: unknown) => {
      loading = null
      throw cause
    }))
  const tokens = () => {
    const stored = sessionStorage.getItem(`oidc.user:${settings.issuer}:${settings.client_id}`)
    return stored === null ? null : (JSON.parse(stored) as Tokens)
  }
  // Otherwise the button to sign in or the next request with an expired token loads the library.
  if (!tokens()) void manager().catch(() => {})
  return {
    tokens,
    manager,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const hasExpired = ({ expires_at: at }: Tokens) => at !== undefined && at * 1000 <= Date.now()

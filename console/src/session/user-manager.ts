import { UserManager, WebStorageStateStore } from 'oidc-client-ts'

import type { ConsoleSettings } from './console-settings.ts'

/**
 * Keeps tokens in this tab only; they are deleted when it is closed. What was sent to the provider is in the library's
 * own place, `localStorage`: a window for signing in reads it when the provider has redirected there.
 */
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
    // A request renews the token that has expired. Beside it, the library would send the same refresh token, and a
    // provider that takes each once ends the session.
    automaticSilentRenew: false,
    loadUserInfo: false,
    monitorSession: false,
  })

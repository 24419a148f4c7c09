/** Signs in on another device: the person types a code there (RFC 8628). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandContext } from './command-context.ts'
import { CommandError } from './command-error.ts'
import { postForm, ProviderError, type Provider, type TokenResponse } from './oidc.ts'
import type { SignInSettings } from './sign-in-settings.ts'

interface DeviceAuthorization {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete?: string
  expires_in: number
  interval?: number
}

const defaultIntervalSeconds = 5
const slowDownSeconds = 5

export async function signInWithDevice(
  { err }: Pick<CommandContext, 'err'>,
  { issuer, device_authorization_endpoint: endpoint, token_endpoint }: Provider,
  { clientId, scope, resource, extraParams }: SignInSettings,
): Promise<TokenResponse> {
  if (!endpoint)
    throw new CommandError(
      'usage',
      `The identity provider ${issuer} has no device flow: sign in without --device.`,
    )
  const started = await postForm<DeviceAuthorization>(issuer, endpoint, {
    ...extraParams,
    client_id: clientId,
    scope,
    resource,
  })
  const complete = started.verification_uri_complete
  err.write(
    `Open ${started.verification_uri} on any device and enter the code ${started.user_code}.\n` +
      (complete ? `This address contains the code:\n\n  ${complete}\n\n` : ''),
  )
  let intervalSeconds = started.interval ?? defaultIntervalSeconds
  for (const until = Date.now() + started.expires_in * 1_000; Date.now() < until;) {
    await sleep(intervalSeconds * 1_000)
    try {
      return await postForm<TokenResponse>(issuer, token_endpoint, {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: clientId,
        device_code: started.device_code,
      })
    } catch (error) {
      const code = error instanceof ProviderError ? error.code : undefined
      if (code === 'slow_down') intervalSeconds += slowDownSeconds
      else if (code !== 'authorization_pending') throw error
    }
  }
  throw new CommandError('authentication', 'The code has expired: run the command again.')
}

/** Requests to an OpenID Connect provider. */
import { errorMessage } from './command-context.ts'
import { CommandError } from './command-error.ts'

export interface Provider {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  device_authorization_endpoint?: string
  revocation_endpoint?: string
}

export interface TokenResponse {
  access_token: string
  refresh_token?: string
  expires_in?: number
}

/** The provider refused a request. */
export class ProviderError extends CommandError {
  readonly code: string

  constructor(issuer: string, code: string, description: string | undefined) {
    super('authentication', `The identity provider ${issuer} refuses: ${description ?? code}.`)
    this.code = code
  }
}

const timeoutMs = 10_000

export async function discoverProvider(issuer: string): Promise<Provider> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const provider = await requestJson<Provider>(issuer, url)
  if (provider.issuer !== issuer)
    throw new CommandError(
      'authentication',
      `The discovery document of ${issuer} names the issuer ${String(provider.issuer)}.`,
    )
  return provider
}

export const postForm = <Body>(
  issuer: string,
  url: string,
  form: Record<string, string | null>,
): Promise<Body> => {
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== null)
  return requestJson<Body>(issuer, url, { method: 'POST', body: new URLSearchParams(given) })
}

async function requestJson<Body>(issuer: string, url: string, request: RequestInit = {}): Promise<Body> {
  const init = { ...request, redirect: 'error' as const, signal: AbortSignal.timeout(timeoutMs) }
  const response = await fetch(url, init).catch((error: unknown) => {
    throw new CommandError(
      'failed',
      `The identity provider ${issuer} does not respond: ${errorMessage(error)}.`,
    )
  })
  const body = (await response.json().catch(() => ({}))) as Body & {
    error?: string
    error_description?: string
  }
  if (response.ok) return body
  throw new ProviderError(issuer, body.error ?? `status ${response.status}`, body.error_description)
}

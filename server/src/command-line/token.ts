/** Requests a token from the development identity provider of the running product. */
import { runningProduct } from './product.ts'
import { errorMessage, type CommandContext } from './command-context.ts'

export interface Token {
  access_token: string
  token_type: string
  expires_in: number
}

const timeoutMs = 5_000

export async function requestToken(
  context: CommandContext,
  user: { role: string; org: string },
): Promise<Token> {
  const { issuer } = runningProduct(context)
  const { token_endpoint: endpoint } = await requestJson<{ token_endpoint: string }>(
    issuer,
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  )
  return requestJson<Token>(issuer, endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'urn:vacancy:development', client_id: 'vacancy-cli', ...user }),
  })
}

async function requestJson<Body>(issuer: string, url: string, request: RequestInit = {}): Promise<Body> {
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      throw new Error(
        `The identity provider ${issuer} does not respond: ${errorMessage(error)}. Is Vacancy still running?`,
      )
    },
  )
  const body = (await response.json().catch(() => ({}))) as Body & {
    error?: string
    error_description?: string
  }
  if (response.ok) return body
  const reason = body.error_description ?? body.error ?? `status ${response.status}`
  throw new Error(
    `The identity provider ${issuer} issues no development token (${reason}): get a token from it directly.`,
  )
}

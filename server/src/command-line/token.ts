// Asks the development identity provider of the running product for a token.
import { runningIn } from './product.ts'
import { failureOf, type Surroundings } from './surroundings.ts'

export type Token = { access_token: string; token_type: string; expires_in: number }

const timeoutMs = 5_000

export async function requestToken(
  around: Surroundings,
  user: { role: string; org: string },
): Promise<Token> {
  const { issuer } = runningIn(around)
  const { token_endpoint: endpoint } = await ask<{ token_endpoint: string }>(
    issuer,
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  )
  return ask<Token>(issuer, endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'urn:vacancy:development', client_id: 'vacancy-cli', ...user }),
  })
}

async function ask<Answer>(issuer: string, url: string, request: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      throw new Error(
        `The identity provider ${issuer} does not answer: ${failureOf(error)}. Is Vacancy still running?`,
      )
    },
  )
  const answer = (await response.json().catch(() => ({}))) as Answer & {
    error?: string
    error_description?: string
  }
  if (response.ok) return answer
  const reason = answer.error_description ?? answer.error ?? `status ${response.status}`
  throw new Error(
    `The identity provider ${issuer} gives no development token (${reason}): get one from it directly.`,
  )
}

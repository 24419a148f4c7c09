/** How to sign in to an installation, as it publishes it. */
import { errorMessage } from './command-context.ts'
import { CommandError } from './command-error.ts'

export interface SignInSettings {
  issuer: string
  clientId: string
  scope: string
  resource: string | null
  extraParams: Record<string, string>
}

interface Published {
  issuer: string
  command_line_client_id: string
  scope: string
  resource: string | null
  extra_params: Record<string, string>
}

const timeoutMs = 10_000

export async function readSignInSettings(url: string): Promise<SignInSettings> {
  const init = { redirect: 'error' as const, signal: AbortSignal.timeout(timeoutMs) }
  const response = await fetch(`${url}/console.json`, init).catch((error: unknown) => {
    throw new CommandError('failed', `${url} does not respond: ${errorMessage(error)}.`, error)
  })
  const published = (await response.json().catch(() => ({}))) as Partial<Published>
  if (!published.issuer || !published.command_line_client_id)
    throw new CommandError('failed', `${url} is not the address of Vacancy.`)
  return {
    issuer: published.issuer,
    clientId: published.command_line_client_id,
    scope: published.scope ?? 'openid',
    resource: published.resource ?? null,
    extraParams: published.extra_params ?? {},
  }
}

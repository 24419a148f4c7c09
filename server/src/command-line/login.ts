/** Signs in to an installation and out of it. */
import { openApiClient } from './api-client.ts'
import type { CommandContext } from './command-context.ts'
import { table } from './command-context.ts'
import { CommandError } from './command-error.ts'
import { discoverProvider, postForm } from './oidc.ts'
import { openProfiles } from './profiles.ts'
import { runningProduct } from './product.ts'
import { tokensOf } from './refresh.ts'
import { describeSession, type Session } from './session.ts'
import { readSignInSettings } from './sign-in-settings.ts'

export interface LoginOptions {
  url?: string
  profile?: string
  org?: string
  device?: boolean
  browser: boolean
}

type Result = [facts: object, text: string]

export async function login(context: CommandContext, options: LoginOptions): Promise<Result> {
  const { env } = context
  const profiles = openProfiles(env)
  const given = options.profile ?? env['VACANCY_PROFILE']
  const known = given === undefined ? undefined : profiles.find(given)
  const url = (options.url ?? env['VACANCY_URL'] ?? known?.url ?? runningProduct(context).api_url).replace(
    /\/$/,
    '',
  )
  const settings = await readSignInSettings(url)
  const provider = await discoverProvider(settings.issuer)
  const tokens = tokensOf(await signIn())
  const name = given ?? new URL(url).host
  profiles.save(
    name,
    {
      ...{ url, organization_id: options.org ?? known?.organization_id ?? null },
      ...{ issuer: settings.issuer, client_id: settings.clientId, resource: settings.resource },
      ...tokens,
    },
    { isCurrent: true },
  )
  const api = await openApiClient(withoutToken(context), { profile: name })
  const session = await api.request<Session>('GET', '/api/v1/auth/session')
  return [{ profile: name, url, ...session }, describeSession(session, url)]

  async function signIn() {
    if (options.device) {
      const { signInWithDevice } = await import('./sign-in-device.ts')
      return await signInWithDevice(context, provider, settings)
    }
    const { signInWithBrowser } = await import('./sign-in-browser.ts')
    return await signInWithBrowser(context, provider, settings, options.browser)
  }
}

/** For requests with the token of a profile, whatever the environment says. */
const withoutToken = (context: CommandContext): CommandContext => {
  const { VACANCY_TOKEN: _token, VACANCY_URL: _url, VACANCY_ORG: _org, ...env } = context.env
  return { ...context, env }
}

/** The tokens are no longer accepted afterwards, and are removed here in any case. */
export async function logout(context: CommandContext, given: string | undefined): Promise<Result> {
  const profiles = openProfiles(context.env)
  const name = given ?? context.env['VACANCY_PROFILE'] ?? profiles.read().current
  const profile = name ? profiles.find(name) : undefined
  if (!name || !profile)
    throw new CommandError('notFound', name ? `Nobody is signed in as ${name}.` : 'Nobody is signed in.')
  const { issuer, client_id, refresh_token } = profile
  const endings = await Promise.allSettled([
    openApiClient(withoutToken(context), { profile: name }).then((api) =>
      api.request('POST', '/api/v1/auth/logout'),
    ),
    discoverProvider(issuer).then(async ({ revocation_endpoint: endpoint }) => {
      if (endpoint && refresh_token)
        await postForm(issuer, endpoint, {
          client_id,
          token: refresh_token,
          token_type_hint: 'refresh_token',
        })
    }),
  ])
  profiles.remove(name)
  const isRevoked = endings.every(({ status }) => status === 'fulfilled')
  const note = isRevoked ? '' : ' The tokens could not be revoked; they end by themselves.'
  return [{ profile: name, revoked: isRevoked }, `Signed out of ${profile.url}.${note}`]
}

export function listProfiles({ env }: CommandContext): Result {
  const { current, profiles } = openProfiles(env).read()
  const known = Object.entries(profiles).map(([name, { url, organization_id }]) => ({
    ...{ name, url, organization_id, is_current: name === current },
  }))
  const lines = known.map(({ name, url, organization_id, is_current }) => [
    is_current ? '*' : '',
    name,
    url,
    organization_id ?? '',
  ])
  const text =
    lines.length === 0 ? 'Nobody is signed in.' : table([['', 'Profile', 'API', 'Organization'], ...lines])
  return [{ profiles: known }, text]
}

export function useProfile({ env }: CommandContext, name: string): Result {
  const profiles = openProfiles(env)
  const profile = profiles.find(name)
  if (!profile) throw new CommandError('notFound', `Nobody is signed in as ${name}.`)
  profiles.use(name)
  return [{ profile: name }, `Commands now use ${profile.url}.`]
}

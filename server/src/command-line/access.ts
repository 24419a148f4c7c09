/** Where the API is that a command calls, and with which token. */
import { CommandError } from './command-error.ts'
import type { CommandContext } from './command-context.ts'
import { openProfiles, type Profile } from './profiles.ts'
import { runningProduct } from './product.ts'
import { requestToken } from './token.ts'

export interface AccessOptions {
  url?: string
  token?: string
  /** The name of an installation that somebody signed in to. */
  profile?: string
  /** A role at the development identity provider of the product that runs here. */
  as?: string
  /** The id of an organization, or `first` or `second` of the demonstration. */
  org?: string
}

export interface Access {
  url: string
  /** The organization that requests name in `X-Organization`. */
  organizationId: string | null
  /** Called before every request, so that an expired token is replaced. */
  token: () => string | Promise<string>
}

/**
 * A given token, then the sign-in of a profile, then the development identity provider of the product that runs here.
 * `--profile` and `--as` come before the variables: the command would otherwise act elsewhere, or as somebody else.
 */
export function openAccess(context: CommandContext, options: AccessOptions): Access {
  const { env } = context
  const variables = options.profile || options.as ? {} : env
  const url = baseUrlOf(options.url ?? variables['VACANCY_URL'])
  const token = options.token ?? variables['VACANCY_TOKEN']
  const org = options.org ?? env['VACANCY_ORG']
  const demonstration = org === 'first' || org === 'second' ? org : undefined
  const organizationId = org && !demonstration ? org : null
  const signedIn = token || options.as ? undefined : findProfile(context, url, options.profile)
  if ((token || signedIn) && demonstration)
    throw new CommandError('usage', `--org ${org} is for the demonstration: give the id of an organization.`)
  if (token) return { url: url ?? runningProduct(context).api_url, organizationId, token: () => token }
  if (signedIn) {
    const { name, profile } = signedIn
    return {
      url: profile.url,
      organizationId: organizationId ?? profile.organization_id,
      token: storedToken(context, name),
    }
  }
  if (url)
    throw new CommandError(
      'authentication',
      `There is no token for ${url}: run vacancy login --url ${url}, or set VACANCY_TOKEN.`,
    )
  const user = { role: options.as ?? 'owner', org: demonstration ?? 'first' }
  return { url: runningProduct(context).api_url, organizationId, token: developmentToken(context, user) }
}

/** The profile that is named, or that of the address, or the one that was signed in to last. */
function findProfile({ env }: CommandContext, url: string | undefined, given: string | undefined) {
  const profiles = openProfiles(env)
  const named = given ?? env['VACANCY_PROFILE']
  if (!named && url) {
    const found = Object.entries(profiles.read().profiles).find(([, profile]) => profile.url === url)
    return found && { name: found[0], profile: found[1] }
  }
  const name = named ?? profiles.read().current
  if (!name) return undefined
  const profile = profiles.find(name)
  if (!profile)
    throw new CommandError(
      'authentication',
      `Nobody is signed in as ${name}: run vacancy login --profile ${name}.`,
    )
  if (url && url !== profile.url)
    throw new CommandError('usage', `The profile ${name} is for ${profile.url}, not for ${url}.`)
  return { name, profile }
}

/** Tokens are read again before every request, because another process may have refreshed them. */
function storedToken({ env }: CommandContext, name: string) {
  const profiles = openProfiles(env)
  const current = () => {
    const profile = profiles.find(name)
    if (!profile) throw signedOut(name)
    return profile
  }
  return async () => {
    if (isFresh(current())) return current().access_token
    return await profiles.withLock(async () => {
      const profile = current()
      if (isFresh(profile)) return profile.access_token
      const { refreshProfile } = await import('./refresh.ts')
      const refreshed = await refreshProfile(profile)
      if (!refreshed) throw signedOut(name)
      profiles.save(name, refreshed, { isCurrent: false })
      return refreshed.access_token
    })
  }
}

const isFresh = ({ expires_at }: Profile) => Date.now() < Date.parse(expires_at) - marginMs
const signedOut = (name: string) =>
  new CommandError('authentication', `The sign-in of ${name} has ended: run vacancy login --profile ${name}.`)

/** Replaced this long before it expires. */
const marginMs = 30_000

function developmentToken(context: CommandContext, user: { role: string; org: string }) {
  let current: { text: string; untilMs: number } | undefined
  return async () => {
    if (!current || Date.now() > current.untilMs - marginMs) {
      const { access_token, expires_in } = await requestToken(context, user)
      current = { text: access_token, untilMs: Date.now() + expires_in * 1_000 }
    }
    return current.text
  }
}

function baseUrlOf(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new CommandError('usage', `${text} is not a URL: it must begin with http:// or https://.`)
  return text.replace(/\/$/, '')
}

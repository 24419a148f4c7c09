/** Where the API is that a command calls, and with which token. */
import { CommandError } from './command-error.ts'
import type { CommandContext } from './command-context.ts'
import { runningProduct } from './product.ts'
import { requestToken } from './token.ts'

export interface AccessOptions {
  url?: string
  token?: string
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

export function openAccess(context: CommandContext, options: AccessOptions): Access {
  const { env } = context
  const givenUrl = options.url ?? env['VACANCY_URL']
  const givenToken = options.token ?? env['VACANCY_TOKEN']
  const org = options.org ?? env['VACANCY_ORG']
  const isDemonstration = org === 'first' || org === 'second'
  const organizationId = org && !isDemonstration ? org : null
  if (givenToken || givenUrl) {
    const url = baseUrlOf(givenUrl ?? runningProduct(context).api_url)
    if (!givenToken)
      throw new CommandError('authentication', `There is no token for ${url}: set VACANCY_TOKEN.`)
    if (isDemonstration) throw new CommandError('usage', `--org ${org} is not the id of an organization.`)
    return { url, organizationId, token: () => givenToken }
  }
  const user = { role: options.as ?? 'owner', org: isDemonstration ? org : 'first' }
  return { url: runningProduct(context).api_url, organizationId, token: developmentToken(context, user) }
}

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

function baseUrlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new CommandError('usage', `${text} is not a URL: it must begin with http:// or https://.`)
  return text.replace(/\/+$/, '')
}

import { errors, type Client, type Context, type Token } from 'oidc-provider'
import { imitate, type Imitated } from './imitations.ts'
import { developmentGrant } from './development-grant.ts'
import { confirmCodePage, messagePage, signOutPage, userCodePage } from './pages.ts'
import type { People } from './people.ts'
import type { openRecords } from './store.ts'
import type { Secrets } from './secrets.ts'
import { signInPath } from './sign-in.ts'

export type Setting = {
  people: People
  secrets: Secrets
  records: ReturnType<typeof openRecords>
  consoleOrigins: string[]
  audience: string
  /** What the console calls itself, and what it may ask for. */
  clientId: string
  scopes: string
  /** The provider whose access tokens are imitated. */
  imitates?: Imitated | undefined
}

const minuteSeconds = 60
const daySeconds = 24 * 60 * 60

/** The service the tokens are for. */
export function resourceServer(audience: string, scopes: string) {
  return {
    scope: scopes,
    audience,
    accessTokenTTL: 15 * minuteSeconds,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }
}

/** All options of the provider. It prints a notice for each that is left to its default. */
export function configuration(setting: Setting) {
  const { people, secrets, records, consoleOrigins, audience, scopes, imitates } = setting
  // A resource is an address, an audience need not be. At Entra only the scope names what a token is for.
  const isResource = imitates !== 'entra' && URL.canParse(audience)
  const api = isResource ? audience : `urn:audience:${encodeURIComponent(audience)}`
  const home = consoleOrigins[0] ?? ''
  const find = (id: string | undefined) => people().find((person) => person.id === id)
  return {
    adapter: records.adapter,
    jwks: { keys: [secrets.signingKey] },
    cookies: { keys: secrets.cookieKeys },
    clients: clients(setting),
    scopes: scopes.split(' '),
    claims: { email: ['email', 'email_verified'], profile: ['name', 'role', 'org_id', 'account_id'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    clientBasedCORS: (_ctx: Context, origin: string) => consoleOrigins.includes(origin),
    findAccount: async (_ctx: Context, id: string) => {
      const person = find(id)
      return (
        person && {
          accountId: id,
          claims: async () => ({ ...claimsOf(person), sub: id }),
        }
      )
    },
    extraTokenClaims: async (_ctx: Context, { accountId }: Token) => {
      const person = find(accountId)
      return person && claimsOf(person)
    },
    extraParams: ['audience', 'organization'],
    ...(imitates && {
      formats: {
        customizers: {
          jwt: (_ctx: Context, { accountId }: Token, token: { payload: Parameters<typeof imitate>[2] }) => {
            const person = find(accountId)
            if (person) token.payload = imitate(imitates, person, token.payload) as typeof token.payload
          },
        },
      },
    }),
    loadExistingGrant: (ctx: Context) => everythingGranted(ctx, api, scopes),
    interactions: { url: (_ctx: Context, { uid }: { uid: string }) => signInPath + uid },
    issueRefreshToken: async (_ctx: Context, client: Client) => client.grantTypeAllowed('refresh_token'),
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx: Context, form: string, _out?: unknown, error?: Error) =>
          showPage(ctx, userCodePage(form, error !== undefined)),
        userCodeConfirmSource: (ctx: Context, form: string, _client: Client, _device: object, code: string) =>
          showPage(ctx, confirmCodePage(form, code)),
        successSource: (ctx: Context) =>
          showPage(
            ctx,
            messagePage('Signed in', 'You can close this page and return to the terminal.', home),
          ),
      },
      revocation: { enabled: true, allowedPolicy: async () => true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx: Context, form: string) => showPage(ctx, signOutPage(form)),
        postLogoutSuccessSource: (ctx: Context) =>
          showPage(ctx, messagePage('Signed out', 'You are signed out.', home)),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => api,
        useGrantedResource: () => true,
        getResourceServerInfo: async (_ctx: Context, resource: string) => {
          if (resource === api) return resourceServer(audience, scopes)
          throw new errors.InvalidTarget('only the audience of this provider can be requested')
        },
      },
    },
    renderError: (ctx: Context, { error, error_description }: Record<string, string>) =>
      showPage(ctx, messagePage('This did not work', `${error_description ?? ''} (${error})`, home)),
    ttl: {
      AccessToken: (_ctx: Context, token: { resourceServer?: { accessTokenTTL?: number } }) =>
        token.resourceServer?.accessTokenTTL ?? 15 * minuteSeconds,
      IdToken: () => 60 * minuteSeconds,
      Interaction: () => 60 * minuteSeconds,
      DeviceCode: () => 10 * minuteSeconds,
      Session: () => 14 * daySeconds,
      Grant: () => 14 * daySeconds,
      RefreshToken: () => 14 * daySeconds,
    },
  }
}

function clients({ clientId, consoleOrigins }: Setting) {
  return [
    {
      client_id: clientId,
      client_name: 'Vacancy console',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: consoleOrigins.map((origin) => `${origin}/callback`),
      post_logout_redirect_uris: consoleOrigins.map((origin) => `${origin}/`),
    },
    {
      client_id: 'vacancy-cli',
      client_name: 'Vacancy command line',
      token_endpoint_auth_method: 'none',
      // Its redirects go to any port of this machine.
      application_type: 'native',
      grant_types: [
        ...[developmentGrant, 'authorization_code', 'refresh_token'],
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ]
}

function claimsOf({ email, name, org_id, account_id, role, other_orgs }: ReturnType<People>[number]) {
  // Whoever belongs to several organizations chooses one in the console.
  return { email, email_verified: true, name, role, ...(!other_orgs && { org_id, account_id }) }
}

/** Grants everything without asking for consent, which choosing a person implies. */
async function everythingGranted(ctx: Context, resource: string, scopes: string) {
  const { provider, client, session, result } = ctx.oidc
  const id = result?.consent?.grantId ?? session.grantIdFor(client.clientId)
  const existing = id && (await provider.Grant.find(id))
  if (existing && existing.accountId === session.accountId) return existing
  const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
  grant.addOIDCScope(scopes)
  grant.addResourceScope(resource, scopes)
  await grant.save()
  return grant
}

function showPage(ctx: Context, html: string) {
  ctx.type = 'html'
  ctx.set(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
  )
  ctx.body = html
}

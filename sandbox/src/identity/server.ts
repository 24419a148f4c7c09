import { Provider } from 'oidc-provider'
import { configuration, resourceServer } from './configuration.ts'
import type { Imitated } from './imitations.ts'
import { addDevelopmentGrant } from './development-grant.ts'
import type { People } from './people.ts'
import { openRecords } from './store.ts'
import { openSecrets } from './secrets.ts'
import { signIn, signInPath } from './sign-in.ts'
import { listen, openServer, type Address } from '../http/server.ts'

export type IdentityOptions = Address & {
  people: People
  /** The origin of the console. The same with localhost or 127.0.0.1 is accepted as well. */
  consoleOrigin?: string
  audience?: string
  /** What the console calls itself, and what it may ask for. */
  clientId?: string
  scopes?: string
  /** The provider whose access tokens are imitated. */
  imitates?: Imitated | undefined
  /** The directory of keys and sessions; without it they are in memory. */
  home?: string | undefined
}

/** An OpenID Connect provider for development: people sign in by choosing who they are. */
export async function startIdentity({
  people,
  consoleOrigin = 'http://localhost:3000',
  audience = 'https://api.vacancy.local',
  clientId = 'vacancy-console',
  scopes = 'openid profile email offline_access',
  home,
  imitates,
  ...address
}: IdentityOptions) {
  const consoleOrigins = bothSpellings(consoleOrigin)
  const secrets = openSecrets(home)
  const records = openRecords(home)

  const app = openServer()
  // The provider reads bodies itself.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _stream, done) => done(null))
  app.addHook('onClose', async () => records.close())
  app.all(`${signInPath}*`, (request, reply) => {
    reply.hijack()
    signIn(provider, people, consoleOrigins, request.raw, reply.raw).catch((error: unknown) => {
      console.error(error)
      reply.raw.destroy()
    })
  })
  app.all('/*', (request, reply) => {
    reply.hijack()
    void serve(request.raw, reply.raw)
  })
  const issuer = await listen(app, address)

  const setting = { people, secrets, records, consoleOrigins, audience, clientId, scopes, imitates }
  const provider = new Provider(issuer, configuration(setting))
  addDevelopmentGrant(provider, people, audience, resourceServer(audience, scopes))
  // The command line asks once a second; without it, it would wait five.
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.oidc?.route === 'device_authorization' && ctx.status === 200) ctx.body.interval = 1
  })
  provider.on('server_error', (_ctx, error) => console.error(error))
  const serve = provider.callback()

  return { issuer, close: () => app.close() }
}

function bothSpellings(origin: string): string[] {
  const url = new URL(origin)
  const other = new URL(origin)
  if (url.hostname === 'localhost') other.hostname = '127.0.0.1'
  else if (url.hostname === '127.0.0.1') other.hostname = 'localhost'
  return [...new Set([url.origin, other.origin])]
}

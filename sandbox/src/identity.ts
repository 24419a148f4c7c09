import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { configuration, resourceServer } from './identity/configuration.ts'
import { addDevelopmentGrant } from './identity/development-grant.ts'
import type { People } from './identity/people.ts'
import { openRecords } from './identity/records.ts'
import { openSecrets } from './identity/secrets.ts'
import { signIn, signInPath } from './identity/sign-in.ts'
import { listen, stopListening, type Address } from './listen.ts'

export type IdentityOptions = Address & {
  people: People
  /** Where the console is served; its other spelling, localhost or 127.0.0.1, is known as well. */
  consoleOrigin?: string
  audience?: string
  /** Where keys and sessions are kept; without it they end with the process. */
  home?: string | undefined
}

/** An OpenID Connect provider for development: one signs in by choosing a person. */
export async function startIdentity({
  people,
  consoleOrigin = 'http://localhost:3000',
  audience = 'https://api.vacancy.local',
  home,
  ...address
}: IdentityOptions) {
  const consoleOrigins = bothSpellings(consoleOrigin)
  const secrets = openSecrets(home)
  const records = openRecords(home)
  const server = createServer()
  const issuer = await listen(server, address)

  const provider = new Provider(issuer, configuration({ people, secrets, records, consoleOrigins, audience }))
  addDevelopmentGrant(provider, people, audience, resourceServer(audience))
  provider.on('server_error', (_ctx, error) => console.error(error))
  const serve = provider.callback()
  server.on('request', (req, res) => {
    if (!req.url?.startsWith(signInPath)) return void serve(req, res)
    signIn(provider, people, consoleOrigins, req, res).catch((error: unknown) => {
      console.error(error)
      res.destroy()
    })
  })

  return {
    issuer,
    async close() {
      await stopListening(server)
      records.close()
    },
  }
}

function bothSpellings(origin: string): string[] {
  const url = new URL(origin)
  const other = new URL(origin)
  if (url.hostname === 'localhost') other.hostname = '127.0.0.1'
  else if (url.hostname === '127.0.0.1') other.hostname = 'localhost'
  return [...new Set([url.origin, other.origin])]
}

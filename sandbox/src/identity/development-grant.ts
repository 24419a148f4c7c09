import { errors, type Context, type Provider } from 'oidc-provider'
import type { People, Person } from './people.ts'

export const developmentGrant = 'urn:vacancy:development'

const lifetimeSeconds = 12 * 60 * 60

/** A grant for the command line: a token for a person with a role, without a browser. */
export function addDevelopmentGrant(provider: Provider, people: People, audience: string, resource: object) {
  provider.registerGrantType(developmentGrant, issue, ['role', 'org'])

  async function issue(ctx: Context) {
    const person = named(people(), ctx.oidc.params)
    const token = new provider.AccessToken({
      accountId: person.id,
      client: ctx.oidc.client,
      gty: developmentGrant,
    })
    token.resourceServer = new provider.ResourceServer(audience, {
      ...resource,
      accessTokenTTL: lifetimeSeconds,
    })
    ctx.oidc.entity('AccessToken', token)
    const access_token = await token.save()
    ctx.body = { access_token, token_type: token.tokenType, expires_in: token.expiration }
  }
}

function named(
  people: Person[],
  { role = 'owner', org = 'first' }: Record<string, string | undefined>,
): Person {
  const person = people.find((person) => person.role === role && person.org === org)
  if (person) return person
  throw new errors.InvalidRequest(
    `no person has the role ${printable(role)} in organization ${printable(org)}`,
  )
}

/** Error descriptions allow only plain characters. */
function printable(text: string) {
  return text.replace(/[^\w-]/g, '?').slice(0, 40)
}

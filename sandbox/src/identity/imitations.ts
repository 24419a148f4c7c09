import { createHash } from 'node:crypto'
import type { Person } from './people.ts'

/** Providers whose access tokens this one can imitate. Auth0 and Entra name one organization in a token. The type in the header of a token stays at+jwt. */
export const imitated = ['keycloak', 'auth0', 'entra', 'zitadel', 'authentik'] as const
export type Imitated = (typeof imitated)[number]

type Payload = Record<string, unknown> & { aud: string; client_id?: string; scope?: string }

/** The payload of an access token as the provider would write it, in place of that of this one. */
export function imitate(provider: Imitated, person: Person, payload: Payload): Record<string, unknown> {
  const { client_id: azp, scope = 'openid profile email', aud, iss, iat, exp, jti } = payload
  const standard = { iss, iat, exp }
  const { email, name, role } = person
  const organization = organizationIdAt(provider, person.org_id)
  const organizations = [person, ...(person.other_orgs ?? [])]
  const byOrganization = <Value>(entry: (org: string, id: string) => [string, Value]) =>
    Object.fromEntries(organizations.map(({ org, org_id }) => entry(org, organizationIdAt(provider, org_id))))
  const capitalized = role.replace(/^./, (letter) => letter.toUpperCase())
  const imitations: Record<Imitated, () => Record<string, unknown>> = {
    keycloak: () => ({
      ...{ ...standard, jti, sub: person.id, aud: [aud, 'account'], azp, typ: 'Bearer', acr: '1', scope },
      realm_access: { roles: ['offline_access', 'uma_authorization', role] },
      resource_access: { account: { roles: ['manage-account', 'view-profile'] } },
      organization: byOrganization((org, id) => [org, { id }]),
      ...{ email_verified: true, name, preferred_username: email, email },
    }),
    auth0: () => ({
      ...{ ...standard, sub: `auth0|${hash(person.id).slice(0, 24)}`, azp, scope, org_id: organization },
      aud: [aud, `${String(iss)}/userinfo`],
      permissions: [],
      [`${auth0Namespace}roles`]: [capitalized],
      [`${auth0Namespace}email`]: email,
      [`${auth0Namespace}email_verified`]: true,
      [`${auth0Namespace}name`]: name,
    }),
    entra: () => ({
      ...{ ...standard, nbf: iat, aud, azp, azpacr: '0', ver: '2.0', scp: 'access_as_user' },
      ...{ sub: hash(`${aud} ${person.id}`).slice(0, 43), oid: uuidOf(person.id), tid: organization },
      ...{ name, preferred_username: email, roles: [capitalized] },
    }),
    zitadel: () => ({
      ...{ ...standard, nbf: iat, jti, sub: digitsOf(person.id), aud: [azp, aud], azp },
      'urn:zitadel:iam:org:project:roles': { [role]: byOrganization((org, id) => [id, `${org}.example`]) },
      'urn:zitadel:iam:user:resourceowner:id': organization,
      'urn:zitadel:iam:user:resourceowner:name': person.org_name,
      'urn:zitadel:iam:user:resourceowner:primary_domain': `${person.org}.example`,
    }),
    authentik: () => ({
      ...{
        ...standard,
        auth_time: iat,
        sub: hash(person.id),
        aud,
        azp,
        uid: hash(String(jti)).slice(0, 40),
        scope,
      },
      acr: 'goauthentik.io/providers/oauth2/default',
      ...{ email, email_verified: false, name, given_name: name, preferred_username: email, nickname: email },
      groups: [`Vacancy ${role}`, 'Everybody'],
      org_id: person.other_orgs ? organizations.map(({ org_id }) => org_id) : organization,
    }),
  }
  return imitations[provider]()
}

/** The id by which the imitated provider knows an organization. */
export function organizationIdAt(provider: Imitated, orgId: string): string {
  if (provider === 'auth0') return `org_${hash(orgId).slice(0, 16)}`
  if (provider === 'zitadel') return digitsOf(orgId)
  // A scope mapping of authentik contains the id of Vacancy itself.
  return provider === 'authentik' ? orgId : uuidOf(orgId)
}

const auth0Namespace = 'https://vacancy.example/'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const digitsOf = (text: string) => String(BigInt(`0x${hash(text).slice(0, 14)}`)).padStart(18, '2')
const uuidOf = (text: string) =>
  hash(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')

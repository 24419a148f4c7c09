import type { JWTPayload } from 'jose'
import type { Config } from '#config/config.ts'
import { InvalidToken, type Claims, type RoleClaim } from './identity.ts'

export type ClaimSettings = Pick<Config['identity'], 'claimPaths' | 'roleNames'>

/** A token names at most so many organizations, roles and permissions. */
const maxNames = 200

/** Reads what the service uses from the claims of a verified token. @throws InvalidToken */
export function readClaims(
  payload: JWTPayload,
  { claimPaths, roleNames }: ClaimSettings,
): Omit<Claims, 'acceptedUntil'> {
  const at = (claim: keyof typeof claimPaths) => readClaim(payload, claimPaths[claim])
  const textAt = (claim: keyof typeof claimPaths) => textOrNull(at(claim))
  const subject = textAt('subject')
  if (subject === null || subject.length > 255)
    throw new InvalidToken(`The token's ${claimPaths.subject} is not accepted.`)
  const roles = readRoles(at('role'), roleNames)
  const named = organizationNames(at('organization'))
  return {
    issuer: payload.iss!,
    subject,
    email: textAt('email')?.slice(0, 320) ?? null,
    isEmailVerified: at('emailVerified') === true,
    name: textAt('name')?.slice(0, 255) ?? null,
    organizations: named.length > 0 ? named : [...new Set(roles.flatMap((role) => role.organizations ?? []))],
    accountId: textAt('account'),
    roles,
    permissions: readPermissions(at('permissions')),
    scopes: [payload['scope'], payload['scp']].flatMap(wordsIn).slice(0, maxNames),
    isMachine: isMachineToken(payload),
  }
}

/**
 * The value of a claim. The path is the name of a claim, names with dots between them for a nested one, or a JSON pointer
 * (RFC 6901), which can express nested names that contain dots.
 */
export function readClaim(payload: object, path: string): unknown {
  if (!path.startsWith('/') && Object.hasOwn(payload, path)) return payload[path as keyof typeof payload]
  const names = path.startsWith('/')
    ? path
        .slice(1)
        .split('/')
        .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    : path.split('.')
  return names.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    payload,
  )
}

/** A name, an object by name, whose values may contain an id as well, or a list of these. */
const organizationNames = (claim: unknown): string[] =>
  namesIn(claim)
    .flatMap(([name, value]) => [name, isObject(value) ? value['id'] : null])
    .filter(isText)
    .slice(0, maxNames)

/** A name, an object by name, whose values are keyed by the organizations that have the role, or a list of these. */
function readRoles(claim: unknown, roleNames: ClaimSettings['roleNames']): RoleClaim[] {
  const renamed = new Map(Object.entries(roleNames).map(([name, role]) => [name.toLowerCase(), role]))
  return namesIn(claim)
    .map(([name, value]) => ({
      name: renamed.get(name.toLowerCase()) ?? name.toLowerCase(),
      organizations: isObject(value) ? Object.keys(value) : null,
    }))
    .slice(0, maxNames)
}

/** Names with their values; a name that is no key has none. */
const namesIn = (claim: unknown): [name: string, value: unknown][] =>
  [claim]
    .flat()
    .flatMap((item) => (isObject(item) ? Object.entries(item) : isText(item) ? [[item, null]] : []))

/**
 * An empty list is what providers send for everybody whose permissions they do not manage, so it counts as none. A claim of
 * another form than a list still limits the permissions.
 */
function readPermissions(claim: unknown): string[] | null {
  if (claim === undefined || (Array.isArray(claim) && claim.length === 0)) return null
  return (Array.isArray(claim) ? claim.filter(isText) : wordsIn(claim)).slice(0, maxNames)
}

/**
 * RFC 9068 gives a client that acts for itself its own id as the subject; Auth0 and Microsoft Entra state it in a claim. The
 * claim `azp` is not considered, because some providers let people choose a name that is then their subject.
 */
const isMachineToken = ({ sub, client_id, gty, idtyp }: JWTPayload): boolean =>
  (isText(client_id) && sub === client_id) || gty === 'client-credentials' || idtyp === 'app'

const wordsIn = (value: unknown): string[] =>
  [value]
    .flat()
    .filter(isText)
    .flatMap((text) => text.split(' ').filter(Boolean))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Text that PostgreSQL can store. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0') && value.isWellFormed()

const textOrNull = (value: unknown) => (isText(value) ? value : null)

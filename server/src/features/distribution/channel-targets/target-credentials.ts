import { Type, type Static } from 'typebox'
import { semanticError } from '#errors.ts'
import { nullable } from '#schema/fields.ts'
import { mask } from '#secrets/vault.ts'

// It is sent in a header: visible ASCII, with spaces only inside.
const Credential = Type.String({ minLength: 1, maxLength: 512, pattern: '^[!-~]([ -~]*[!-~])?$' })

const secretNames = ['api_key', 'webhook_secret', 'webhook_secret_previous'] as const

const description = `Write-only: responses show secrets as ${mask}, which keeps the secret in a request. \`account_id\` belongs to hostaway. With a \`webhook_secret\`, messages of the PMS must be authenticated with it, or with the previous one.`

export const Credentials = Type.Object(
  {
    api_key: Type.Optional(Credential),
    account_id: Type.Optional(Credential),
    webhook_secret: Type.Optional(Credential),
    webhook_secret_previous: Type.Optional(Credential),
  },
  { additionalProperties: false, minProperties: 1, description },
)
export type Credentials = Static<typeof Credentials>

/** What encrypted credentials are bound to: a value that is copied to another row cannot be decrypted. */
export const credentialsContext = (orgId: string, targetId: string) => `${orgId} ${targetId} credentials`

/** In a body, null removes a secret. */
export const CredentialsInput = Type.Object(
  {
    api_key: Type.Optional(nullable(Credential)),
    account_id: Type.Optional(Credential),
    webhook_secret: Type.Optional(nullable(Credential)),
    webhook_secret_previous: Type.Optional(nullable(Credential)),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: `${description} A PUT must name every stored secret: null removes it.`,
  },
)
export type CredentialsInput = Static<typeof CredentialsInput>

export interface SplitCredentials {
  /** The members that are given as plain text. */
  readonly given: Credentials
  /** The stored secrets that do not change. */
  readonly kept: readonly (typeof secretNames)[number][]
}

export function splitCredentials(input: CredentialsInput | null | undefined): SplitCredentials {
  const members = Object.entries(input ?? {}).filter(([, value]) => value !== null)
  return {
    given: Object.fromEntries(members.filter(([, value]) => value !== mask)),
    kept: secretNames.filter((name) => input?.[name] === mask),
  }
}

/** Whether no secret is added, changed or removed. `stored` has the stored credentials, masked. */
export const keepsAllSecrets = (
  stored: Credentials | undefined,
  { given, kept }: SplitCredentials,
): boolean =>
  storedSecrets(stored).every((name) => kept.includes(name)) &&
  secretNames.every((name) => given[name] === undefined) &&
  given.account_id === stored?.account_id

/** A client cannot read a secret back, so a PUT must name each stored one to keep or remove it. @throws Invalid */
export function assertSecretsNamed(
  stored: Credentials | undefined,
  input: CredentialsInput | null | undefined,
): void {
  if (input === null) return
  const missing = storedSecrets(stored).filter((name) => input?.[name] === undefined)
  if (missing.length === 0) return
  throw semanticError(
    input ? `config/credentials/${missing[0]!}` : 'config/credentials',
    `The target has stored secrets that the body does not name: ${missing.join(', ')}. Send "${mask}" to keep one, a new value, or null to remove it.`,
    'required',
  )
}

const storedSecrets = (stored: Credentials | undefined) =>
  secretNames.filter((name) => stored?.[name] !== undefined)

export const maskedCredentials = (credentials: Credentials): Credentials =>
  Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, name === 'account_id' ? value : mask]),
  )

/** A key that seals stored credentials. */
export interface SecretKey {
  readonly id: string
  readonly bytes: Buffer
}

/** Parses `id:base64` pairs with commas between them. The result is checked where the setting is declared. */
export const parseSecretKeys = (text: string): SecretKey[] =>
  text
    .split(',')
    .filter(Boolean)
    .map((pair) => {
      const [id = '', base64 = ''] = pair.trim().split(':')
      return { id, bytes: Buffer.from(base64, 'base64') }
    })

/** After how many days a secret of each kind is due to be changed. */
export const maxSecretAgeDays = {
  payments: 90,
  pms: 90,
  database: 90,
  email: 180,
  sms: 180,
  object_storage: 180,
  cache: 180,
  /** Tokens between our own processes, and of the systems that monitor them. */
  internal: 180,
  /** Keys that seal and sign. */
  sealing_keys: 365,
  webhook_signing: 365,
} as const satisfies Record<string, 90 | 180 | 365>

export type SecretKind = keyof typeof maxSecretAgeDays

/** Which part of a setting is secret: all of it, the password of a URL, each element of a list, or its first element. */
export interface SecretFormat {
  readonly kind: SecretKind
  readonly part?: 'password' | 'list' | 'first'
}

/** One secret value that this process was given. */
export interface GivenSecret {
  readonly name: string
  readonly kind: SecretKind
  readonly value: string
}

/** The secrets in the text of a setting; a URL without a password has none. */
export function secretsIn(name: string, { kind, part }: SecretFormat, text: string): GivenSecret[] {
  const isList = part === 'list' || part === 'first'
  const values = isList ? text.split(',') : [part === 'password' ? passwordOf(text) : text]
  return (part === 'first' ? values.slice(0, 1) : values)
    .map((value) => value.trim())
    .filter((value) => value !== '')
    .map((value) => ({ name, kind, value }))
}

const passwordOf = (url: string) => (URL.canParse(url) ? new URL(url).password : '')

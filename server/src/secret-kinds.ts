/** How old a secret of each kind may become before it is to be changed, in days. */
export const secretKinds = {
  payments: 90,
  pms: 90,
  database: 90,
  email: 180,
  sms: 180,
  object_storage: 180,
  cache: 180,
  /** What our own parts and those that watch them know each other by. */
  internal: 180,
  /** What we seal and sign with. */
  sealing_keys: 365,
  webhook_signing: 365,
} as const satisfies Record<string, 90 | 180 | 365>

export type SecretKind = keyof typeof secretKinds

/** A secret among the settings: of an address only the password is one, of a list all are, or the first alone is in use. */
export interface SecretForm {
  readonly kind: SecretKind
  readonly form?: 'password' | 'list' | 'first'
}

/** One value of a secret that this process was given. */
export interface GivenSecret {
  readonly name: string
  readonly kind: SecretKind
  readonly value: string
}

/** The secrets in what a setting was given; an address without a password has none. */
export function secretsOf(name: string, { kind, form }: SecretForm, text: string): GivenSecret[] {
  const list =
    form === 'list' || form === 'first' ? text.split(',') : [form === 'password' ? passwordOf(text) : text]
  const values = form === 'first' ? list.slice(0, 1) : list
  return values
    .map((value) => value.trim())
    .filter((value) => value !== '')
    .map((value) => ({ name, kind, value }))
}

/** Every secret among the settings of this process. */
export const givenSecrets = <Name extends string>(
  settings: readonly { readonly name: Name; readonly secret?: SecretForm }[],
  given: (name: Name) => string | null,
): GivenSecret[] =>
  settings.flatMap(({ name, secret }) => (secret ? secretsOf(name, secret, given(name) ?? '') : []))

const passwordOf = (address: string) => (URL.canParse(address) ? new URL(address).password : '')

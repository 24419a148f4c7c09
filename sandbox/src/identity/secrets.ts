import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the provider signs tokens and cookies with. */
export type Secrets = { signingKey: Record<string, unknown> & { kid: string }; cookieKeys: string[] }

/** The secrets of this home, made at the first start and kept, so that tokens outlive a restart. */
export function openSecrets(home?: string): Secrets {
  if (home === undefined) return freshSecrets()
  const path = join(home, 'identity-secrets.json')
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Secrets
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secrets = freshSecrets()
  mkdirSync(home, { recursive: true })
  writeFileSync(path, JSON.stringify(secrets), { mode: 0o600, flag: 'wx' })
  return secrets
}

function freshSecrets(): Secrets {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = `development-${randomBytes(6).toString('hex')}`
  return {
    signingKey: { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' },
    cookieKeys: [randomBytes(32).toString('base64url')],
  }
}

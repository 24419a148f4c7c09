import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomically } from './store.ts'

/** The keys that sign tokens and cookies. */
export type Secrets = { signingKey: Record<string, unknown> & { kid: string }; cookieKeys: string[] }

/**
 * The secrets of this home. They are created at the first start, so that tokens outlive a restart.
 * @throws Error when the file is damaged
 */
export function openSecrets(home?: string): Secrets {
  if (home === undefined) return freshSecrets()
  const path = join(home, 'identity-secrets.json')
  const kept = readSecrets(path)
  if (kept) return kept
  const secrets = freshSecrets()
  mkdirSync(home, { recursive: true })
  writeFileAtomically(path, secrets)
  return secrets
}

function readSecrets(path: string): Secrets | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Secrets
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(
      `${path} is damaged: remove it, and people sign in again with the development identity provider.`,
      { cause: error },
    )
  }
}

function freshSecrets(): Secrets {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = `development-${randomBytes(6).toString('hex')}`
  return {
    signingKey: { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' },
    cookieKeys: [randomBytes(32).toString('base64url')],
  }
}

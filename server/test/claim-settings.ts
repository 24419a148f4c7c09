import { readConfig } from '#config/config.ts'

/** The settings of claims, as these variables set them. */
export function claimSettings(variables: Record<string, string> = {}) {
  const { claimPaths, roleNames } = readConfig({
    DATABASE_URL: 'postgres://nowhere',
    OIDC_ISSUER: 'http://nowhere',
    OIDC_AUDIENCE: 'nobody',
    SECRET_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
    ...variables,
  }).identity
  return { claimPaths, roleNames }
}

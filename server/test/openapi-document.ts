import { openApp } from '#app.ts'
import { readConfig } from '#config/config.ts'
import type { Database } from '#db/connect.ts'
import type { Resources } from '#resources.ts'

/** Builds the OpenAPI document from the routes, without opening a database. */
export async function buildOpenApiDocument(): Promise<object> {
  const config = readConfig({
    DATABASE_URL: 'postgres://nowhere',
    OIDC_ISSUER: 'http://nowhere',
    OIDC_AUDIENCE: 'nobody',
    SECRET_KEYS: `contract:${Buffer.alloc(32).toString('base64')}`,
  })
  const listener = { isReceiving: () => true, stop: async () => {} }
  const database = { listen: async () => listener } as unknown as Database
  const app = await openApp({ config, database } as Resources)
  try {
    await app.ready()
    return app.swagger()
  } finally {
    await app.close()
  }
}

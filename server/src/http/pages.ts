import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#config/config.ts'

const consoleFolder = new URL('../../../console/dist/', import.meta.url).pathname
const referenceFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The pages that people open in a browser: the console at /, the API reference at /docs, and the contract. */
export async function servePages(app: FastifyInstance, config: Config): Promise<void> {
  const hidden = { schema: { hide: true } }

  let contract: string | undefined
  app.get('/api/v1/openapi.json', hidden, (_request, reply) => {
    contract ??= JSON.stringify(app.swagger())
    return reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(contract)
  })

  app.get('/console.json', hidden, () => ({
    issuer: config.identity.issuer,
    client_id: config.identity.clientId,
    scope: config.identity.scopes,
    resource: config.identity.resource,
    extra_params: config.identity.extraParams,
    api_base: '',
  }))

  app.get('/docs', hidden, (_request, reply) => reply.type('text/html; charset=utf-8').send(referencePage))
  app.get('/docs/start.js', hidden, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(referenceScript),
  )
  await app.register(staticFiles, {
    root: referenceFolder,
    prefix: '/docs/assets/',
    decorateReply: false,
    index: false,
    schemaHide: true,
    allowedPath: (path) => ['/swagger-ui.css', '/swagger-ui-bundle.js'].includes(path),
  })

  if (!existsSync(join(consoleFolder, 'index.html'))) return
  const index = await readFile(join(consoleFolder, 'index.html'), 'utf8')
  const showConsole = (reply: FastifyReply) =>
    reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(index)
  await app.register(staticFiles, {
    root: join(consoleFolder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
    schemaHide: true,
  })
  for (const path of consolePaths) app.get(path, hidden, (_request, reply) => showConsole(reply))
  // An unknown path returns the console's page to browsers, and a problem document to programs.
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode !== 404 || !isPageRequest(request)) return payload
    reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8')
    return index
  })
}

/** The screens of the console; a new one is added here so that its address answers 200. */
export const consolePaths = [
  '/',
  '/callback',
  '/calendar',
  '/bookings',
  '/bookings/new',
  '/bookings/:id',
  '/analytics',
  '/inbox',
  '/listings/:id',
  '/start',
  '/units',
  '/units/listings/:id',
  '/units/new',
  '/units/:id',
  '/spaces/new',
  '/spaces/:id',
  '/channels',
  '/channels/new',
  '/channels/:id',
  '/channels/:id/link',
  '/settings',
  '/settings/:section',
  '/settings/:section/:id',
  '/stop-sell',
  '/payments',
  '/audit',
]

/** Whether a browser opens a path that only the console can have. */
const isPageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' &&
  /\btext\/html\b/.test(headers.accept ?? '') &&
  !/^\/(api|assets|calendars|docs|health|media|metrics|problems|webhooks)(\/|$|\?)/.test(url)

const referencePage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>API reference · Vacancy</title><link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="icon" href="data:,">
<style>body{margin:0}.topbar{display:none}.swagger-ui .wrapper{max-width:72rem}</style><main id="reference"></main>
<script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></html>`

const referenceScript = `SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null,
  tryItOutEnabled: true, persistAuthorization: false, defaultModelsExpandDepth: 0, docExpansion: 'list', filter: true })`

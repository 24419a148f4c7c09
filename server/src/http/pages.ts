import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '#config/config.ts'
import { consolePaths, openConsolePages } from './console-pages.ts'
import { serveDocs } from './docs/docs-routes.ts'

const consoleFolder = join(import.meta.dirname, '../../../console/dist')
const contractFile = new URL('../../../openapi.json', import.meta.url)

/** The pages that people open in a browser: the console at /, the documentation at /docs, and the contract. */
export async function servePages(app: FastifyInstance, config: Config): Promise<void> {
  const hidden = { schema: { hide: true } }

  // The file: to build it from the routes would hold up all other requests for half a second.
  let contract: Promise<string> | undefined
  const readContract = () => (contract ??= readFile(contractFile, 'utf8'))
  app.get('/api/v1/openapi.json', hidden, async (_request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(await readContract()),
  )

  app.get('/console.json', hidden, () => ({
    issuer: config.identity.issuer,
    client_id: config.identity.clientId,
    command_line_client_id: config.identity.commandLineClientId,
    scope: config.identity.scopes,
    resource: config.identity.resource,
    extra_params: config.identity.extraParams,
    has_default_pms: config.pms.defaultUrl !== null,
    api_base: '',
  }))

  await serveDocs(app, {
    file: join(consoleFolder, 'documentation.json'),
    publicUrl: config.http.publicUrl,
    readContract,
  })

  // The last file of a build.
  if (!existsSync(join(consoleFolder, 'manifest.json'))) return
  const readPages = await openConsolePages(consoleFolder)
  await app.register(staticFiles, {
    root: join(consoleFolder, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
    schemaHide: true,
  })
  for (const path of consolePaths)
    app.get(path, hidden, async (_request, reply) => {
      const { byPath } = await readPages()
      return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(byPath.get(path))
    })
  // An unknown path returns the console's page to browsers, and a problem document to programs.
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode !== 404 || !isPageRequest(request)) return payload
    void reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8')
    return (await readPages()).index
  })
}

/** Whether a browser opens a path that only the console can have. */
const isPageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' &&
  /\btext\/html\b/.test(headers.accept ?? '') &&
  !/^\/(api|assets|calendars|docs|exports|health|mcp|media|metrics|problems|webhooks|\.well-known)(\/|$|\?)/.test(
    url,
  )

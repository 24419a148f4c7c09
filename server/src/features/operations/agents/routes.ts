import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Implementation } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { atomically } from '#db/scope.ts'
import { findStoredResponse, saveResponse } from '#http/idempotency-queries.ts'
import { oneOf, text } from '#schema/fields.ts'
import type { Routes } from '#http/routes.ts'
import { apiFor, Rejected } from './api.ts'
import { changeTools } from './change-tools.ts'
import { openConfirmations } from './confirmation.ts'
import { readTools } from './read-tools.ts'
import { runTool } from './run-tool.ts'
import { isChange, type ChangeTool, type ReadTool, type Values } from './tool.ts'

interface AgentOptions {
  readonly secretKeys: readonly { readonly bytes: Uint8Array }[]
  readonly publicUrl: string
  readonly issuer: string
  readonly version: string
}

const instructions = `Vacancy holds the inventory of an operator of rentable properties: units, prices, availability, bookings, and their sync with a property management system (PMS). Amounts are whole minor units (cents). A tool that changes something first returns a preview and a confirmation: show the preview to the person, and call the tool again with the confirmation only when they agree.`

/**
 * Tools for agents by the Model Context Protocol (Streamable HTTP, without sessions) at `/mcp`. Every call is a request of
 * the API with the token of the person; the audit shows "agent for person".
 */
export const agentRoutes =
  ({ secretKeys, publicUrl, issuer, version }: AgentOptions): Routes =>
  async (app) => {
    const confirmations = openConfirmations(secretKeys)
    const metadataPath = '/.well-known/oauth-protected-resource/mcp'

    app.addHook('onSend', (_request, reply, _payload, done) => {
      const challenge = reply.getHeader('www-authenticate')
      if (typeof challenge === 'string')
        void reply.header('www-authenticate', `${challenge}, resource_metadata="${publicUrl}${metadataPath}"`)
      done()
    })

    // RFC 9728: where clients get a token for this resource.
    app.get(metadataPath, { schema: { hide: true } }, async () => ({
      resource: `${publicUrl}/mcp`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Vacancy',
    }))

    app.post('/mcp', { schema }, async (request, reply) => {
      const { CLIENT_INFO_META_KEY, createMcpHandler, fromJsonSchema, McpServer } =
        await import('@modelcontextprotocol/server')
      const { caller } = request
      const handler = createMcpHandler(() => {
        const server = new McpServer({ name: 'vacancy', title: 'Vacancy', version }, { instructions })
        for (const tool of [...readTools, ...changeTools])
          server.registerTool(
            tool.name,
            {
              title: tool.title,
              description: tool.description,
              annotations: annotationsOf(tool),
              inputSchema: fromJsonSchema<Values>(inputOf(tool)),
            },
            async (values, { mcpReq }) => {
              const envelope = (mcpReq.envelope ?? {}) as Record<string, Implementation | undefined>
              const client = envelope[CLIENT_INFO_META_KEY]
              const api = apiFor(
                (inner) => app.inject(inner),
                request,
                client?.title ?? client?.name ?? 'Agent',
              )
              const toolCaller = {
                ...{ orgId: caller.organization.id, userId: caller.userId, api },
                findResponse: (operation: string, key: string) =>
                  atomically(request.scope, (transaction) => findStoredResponse(transaction, operation, key)),
                storeResponse: (operation: string, key: string, body: string) =>
                  atomically(request.scope, async (transaction) => {
                    const fingerprint = hash('sha256', key, 'buffer')
                    saveResponse(transaction, operation, key, { fingerprint, status: 200, headers: {}, body })
                  }),
              }
              try {
                return content(await runTool(tool, values, toolCaller, confirmations))
              } catch (error) {
                if (!(error instanceof Rejected)) throw error
                return { ...content(error.problem), isError: true }
              }
            },
          )
        return server
      })
      const { method, body } = request
      const received = new Request(`${publicUrl}/mcp`, { method, headers: protocolHeaders(request) })
      return await send(reply, await handler.fetch(received, { parsedBody: body }))
    })
  }

const schema = {
  tags: ['agents'],
  produces: ['application/json', 'text/event-stream'],
  summary: 'Tools for agents',
  description:
    'The Model Context Protocol (Streamable HTTP, without sessions). Tools that change something return a preview first, and a confirmation that must be sent with the same arguments.',
  body: Type.Object(
    {
      jsonrpc: { ...oneOf('2.0'), description: 'The version of JSON-RPC.' },
      id: Type.Optional({
        description: 'A text or a number that the response repeats; absent in notifications.',
      }),
      method: text(255, 'Such as `tools/list` or `tools/call`.', 1),
      params: Type.Optional(Type.Unsafe<object>({ description: 'The parameters of the method, an object.' })),
    },
    {
      title: 'AgentRequest',
      additionalProperties: false,
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    },
  ),
  response: {
    200: Type.Object(
      {
        jsonrpc: { ...oneOf('2.0'), description: 'The version of JSON-RPC.' },
        result: Type.Optional(Type.Object({}, { description: 'The result of the method.' })),
        error: Type.Optional(Type.Object({}, { description: 'Why there is no result.' })),
      },
      { title: 'AgentResponse' },
    ),
    // To a notification.
    202: Type.Null(),
  },
}

/** Clients that accept anything get what the protocol prefers. */
function protocolHeaders({ headers }: FastifyRequest): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return {
    ...Object.fromEntries(own as [string, string][]),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
}

const annotationsOf = (tool: ReadTool | ChangeTool) =>
  isChange(tool)
    ? { readOnlyHint: false, destructiveHint: tool.isDestructive, idempotentHint: true, openWorldHint: false }
    : { readOnlyHint: true, openWorldHint: false }

const Confirmation = Type.Optional(
  text(255, 'The confirmation of the preview of exactly these arguments. Leave it out to get a preview.'),
)

const inputOf = (tool: ReadTool | ChangeTool) =>
  Type.Object(
    { ...tool.input, ...(isChange(tool) && { confirmation: Confirmation }) },
    { additionalProperties: false },
  )

const content = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  void reply.code(response.status).headers(Object.fromEntries(response.headers))
  return reply.send(response.body ? Readable.fromWeb(response.body as never) : undefined)
}

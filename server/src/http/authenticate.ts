import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database } from '#db/connect.ts'
import type { Scope } from '#db/scope.ts'
import { secretMatcher } from '#secrets/compare.ts'
import { Forbidden, OrganizationRequired, Unauthenticated, type DomainError } from '#errors.ts'
import { isAdmin, isAdminOnly, isOwnerOnly, permissionTable } from './permissions.ts'
import type { Caller } from './routes.ts'

/**
 * Finds the caller of a bearer token, who acts for the organization that the request names.
 * @throws Unauthenticated, Forbidden, OrganizationRequired
 */
export type Authenticate = (token: string, organizationId: string | null) => Promise<Caller>

/** Where a scope reads and writes: requests for many records read from `readDatabase`. */
interface ScopeResources {
  readonly database: Database
  readonly readDatabase: Database
}

const maxTokenLength = 8_192

/** Names the program that acts for the caller. The history shows "program for person". */
export const agentHeader = 'x-agent'
const agentName = /^\w[\w ./()-]{0,63}$/

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the token was rejected. It is thrown after the request was counted by the rate limits. */
    authError: DomainError | null
    /** The header with the internal token, which lifts rate limits. */
    isInternal: boolean
  }
}

/** Sets the caller and the scope of every request that needs a token. `authorize` then checks its permission. */
export function authenticate(app: FastifyInstance, stock: ScopeResources, recognize: Authenticate): void {
  app.decorateRequest('caller', null as never)
  app.decorateRequest('scope', null as never)
  app.decorateRequest('authError', null)
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema?.hide) return
    for (const one of [method].flat()) if (one !== 'HEAD') requiredPermission(one, url)
    if (!schema?.tags?.length)
      throw new Error(`${url} has no tag: without one, neither the contract nor the client has it.`)
  })
  const setCaller = async (request: FastifyRequest) => {
    try {
      request.caller = await recognize(...credentialsOf(request))
      request.scope = scopeOf(request.caller, stock, request)
    } catch (error) {
      if (!refusals.some((refusal) => error instanceof refusal)) throw error
      request.authError = error as DomainError
    }
  }
  app.addHook('onRequest', (request, _reply, done) => {
    if (requiredPermissionOf(request) === 'none') return done()
    setCaller(request).then(() => done(), done)
  })
}

const refusals = [Unauthenticated, Forbidden, OrganizationRequired]

/** The bearer token, and the organization that `X-Organization` names. @throws Unauthenticated */
export function credentialsOf(request: FastifyRequest): Parameters<Authenticate> {
  const organizationId = request.headers['x-organization']
  return [bearerToken(request), organizationId ? String(organizationId).toLowerCase() : null]
}

/** Checks the permission of the caller by the permission table. Runs after the rate limits, so rejected requests count. */
export function authorize(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const required = requiredPermissionOf(request)
    if (required === 'none') return done()
    if (request.authError) throw request.authError
    const { permissions, role } = request.caller
    if (required !== 'any token' && !permissions.has(required))
      throw new Forbidden(`This requires the permission ${required}, which your role ${role} does not have.`)
    if (isAdminOnly(required) && !isAdmin(role))
      throw new Forbidden('Only owners and admins of the organization may do this.', 'admin-required')
    if (isOwnerOnly(required) && role !== 'owner')
      throw new Forbidden(`Only owners of the organization may use the permission ${required}.`)
    done()
  })
}

/** The permission that a request needs; `none` for unknown paths. */
export function requiredPermissionOf({ routeOptions }: FastifyRequest): string {
  const { config, url, schema, method } = routeOptions
  if (url === undefined || schema?.hide) return 'none'
  let permission = permissionOfRoute.get(config)
  if (permission === undefined) {
    permission = requiredPermission([method].flat()[0]!, url)
    permissionOfRoute.set(config, permission)
  }
  return permission
}
/** By the configuration of the route, which is an object of its own. */
const permissionOfRoute = new WeakMap<object, string>()

/** @throws Error when a route has no row in the table, so that the server does not start */
function requiredPermission(method: string, url: string): string {
  const row = `${method === 'HEAD' ? 'GET' : method} ${url}`
  if (!Object.hasOwn(permissionTable, row)) throw new Error(`${row} has no row in the permission table.`)
  return permissionTable[row as keyof typeof permissionTable]
}

function bearerToken(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (!header) throw new Unauthenticated('The Authorization header is missing.')
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(header)?.[1]
  if (!token) throw new Unauthenticated('The Authorization header must be: Bearer <token>.')
  if (token.length > maxTokenLength) throw new Unauthenticated('The token is too long.')
  return token
}

const scopeOf = (caller: Caller, stock: ScopeResources, request: FastifyRequest): Scope => ({
  orgId: caller.organization.id,
  accountId: caller.account.id,
  actor: {
    type: caller.role === 'service' ? 'service' : 'user',
    id: caller.userId,
    name: actorName(caller, request.headers[agentHeader]),
  },
  traceparent: request.trace?.traceparent ?? null,
  database: readsMany(request) ? stock.readDatabase : stock.database,
})

/** Lists, searches, calendars and analytics; not the feed of events, whose order follows the transactions of the primary. */
const readsMany = ({ method, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  method === 'GET' && !/\/:\w+$|^\/api\/v1\/events/.test(url)

function actorName({ name, email, userId }: Caller, agent: string | string[] | undefined): string {
  const person = name ?? email ?? userId
  return typeof agent === 'string' && agentName.test(agent) ? `${agent} for ${person}` : person
}

/** Marks requests with one of the internal tokens; none are marked when no token is configured. */
export function markInternalRequests(app: FastifyInstance, tokens: readonly string[]): void {
  const isKnown = secretMatcher(tokens.filter(Boolean))
  app.decorateRequest('isInternal', false)
  app.addHook('onRequest', (request, _reply, done) => {
    const header = request.headers['x-internal-token']
    request.isInternal = typeof header === 'string' && isKnown(header)
    done()
  })
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Scope } from '#db/scope.ts'
import { Forbidden, Unauthenticated, type Failure } from '#errors.ts'
import { traceOf } from '#telemetry.ts'
import { isAdmin, isAdminOnly, isOwnerOnly, permissionTable } from './permissions.ts'
import type { Caller } from './routes.ts'

/** Bearer token → caller. Throws Unauthenticated or Forbidden. */
export type Recognize = (token: string) => Promise<Caller>

/** What every scope is given. */
type Stock = Pick<Scope, 'database' | 'outbox'>

const longestToken = 8_192

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the token of this request is not good, until it has been counted and may be told. */
    refusal: Failure | null
  }
}

/** Puts the caller and their scope on every request that needs a token; `permit` is what lets it in. */
export function authenticate(app: FastifyInstance, stock: Stock, recognize: Recognize): void {
  app.decorateRequest('caller', null as never)
  app.decorateRequest('scope', null as never)
  app.decorateRequest('refusal', null)
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema?.hide) return
    for (const one of [method].flat()) if (one !== 'HEAD') requiredPermission(one, url)
  })
  app.addHook('onRequest', async (request) => {
    if (requiredPermissionOf(request) === 'none') return
    try {
      request.caller = await recognize(bearerToken(request))
      request.scope = scopeOf(request.caller, stock, request)
    } catch (error) {
      if (!(error instanceof Unauthenticated || error instanceof Forbidden)) throw error
      request.refusal = error
    }
  })
}

/** Lets in who may do what is asked, by the permission table; who is refused has been counted before. */
export function permit(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const required = requiredPermissionOf(request)
    if (required === 'none') return
    if (request.refusal) throw request.refusal
    const { permissions, role } = request.caller
    if (required !== 'any token' && !permissions.has(required))
      throw new Forbidden(`This needs the permission ${required}, which your role ${role} does not include.`)
    if (isAdminOnly(required) && !isAdmin(role))
      throw new Forbidden('This is for owners and admins of the organization.', 'admin-required')
    if (isOwnerOnly(required) && role !== 'owner')
      throw new Forbidden(`This is for owners of the organization: ${required} is of no use to others.`)
  })
}

/** What a request needs; a path that is none needs nothing. */
export function requiredPermissionOf({ routeOptions: { url, schema, method } }: FastifyRequest): string {
  return url === undefined || schema?.hide ? 'none' : requiredPermission([method].flat()[0]!, url)
}

/** @throws when a route has no row in the table: such a route must not start. */
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
  if (token.length > longestToken) throw new Unauthenticated('The token is too long.')
  return token
}

const scopeOf = (caller: Caller, stock: Stock, request: FastifyRequest): Scope => ({
  orgId: caller.organization.id,
  accountId: caller.account.id,
  actor: {
    type: caller.role === 'service' ? 'service' : 'user',
    id: caller.userId,
    name: caller.name ?? caller.email ?? caller.userId,
  },
  traceparent: traceOf(request)?.traceparent ?? null,
  ...stock,
})

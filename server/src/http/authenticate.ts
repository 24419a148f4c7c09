import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Scope } from '#db/scope.ts'
import { Forbidden, Unauthenticated } from '#errors.ts'
import { traceOf } from '#telemetry.ts'
import { isAdmin, isAdminOnly, permissionTable } from './permissions.ts'
import type { Caller } from './routes.ts'

/** Bearer token → caller. Throws Unauthenticated or Forbidden. */
export type Recognize = (token: string) => Promise<Caller>

/** What every scope is given. */
type Stock = Pick<Scope, 'database' | 'outbox'>

const longestToken = 8_192

/** Puts the caller and their scope on every request that needs a token, and checks the permission table. */
export function authenticate(app: FastifyInstance, stock: Stock, recognize: Recognize): void {
  app.decorateRequest('caller', null as never)
  app.decorateRequest('scope', null as never)
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema?.hide) return
    for (const one of [method].flat()) if (one !== 'HEAD') requiredPermission(one, url)
  })
  app.addHook('onRequest', async (request) => {
    const { url, schema, method } = request.routeOptions
    if (url === undefined || schema?.hide) return
    const required = requiredPermission([method].flat()[0]!, url)
    if (required === 'none') return
    const caller = await recognize(bearerToken(request))
    if (required !== 'any token' && !caller.permissions.has(required))
      throw new Forbidden(
        `This needs the permission ${required}, which your role ${caller.role} does not include.`,
      )
    if (isAdminOnly(required) && !isAdmin(caller.role))
      throw new Forbidden('This is for owners and admins of the organization.', 'admin-required')
    request.caller = caller
    request.scope = scopeOf(caller, stock, request)
  })
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

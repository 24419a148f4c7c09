import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync, RawServerDefault } from 'fastify'
import type { Scope } from '#db/scope.ts'
import type { Role } from './permissions.ts'

/** Who is calling, as far as the token and our own records say. */
export interface Caller {
  readonly userId: string
  readonly email: string | null
  readonly name: string | null
  readonly organization: { readonly id: string; readonly name: string }
  /** Of the organization: decides how often it may ask. */
  readonly tier: string
  readonly account: { readonly id: string; readonly name: string }
  readonly role: Role
  readonly permissions: ReadonlySet<string>
  /** Every organization that this person belongs to. */
  readonly memberOf: readonly string[]
  /** The organizations that the token may act for, one of which a request names in `X-Organization`. */
  readonly memberships: readonly { readonly orgId: string; readonly role: Role }[]
  readonly token: { readonly hash: Buffer; readonly acceptedUntil: Date }
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    /** The database as this caller may see it. */
    scope: Scope
  }
}

/** The routes of one feature. */
export type Routes = FastifyPluginAsync<Record<never, never>, RawServerDefault, TypeBoxTypeProvider>

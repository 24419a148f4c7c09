import { Type } from 'typebox'
import { Id, nullable, oneOf, text, identifier } from '#schema/fields.ts'
import { roles } from '#http/permissions.ts'
import type { Caller, Routes } from '#http/routes.ts'
import type { Scope } from '#db/scope.ts'
import { revokeToken } from './queries.ts'
import { nameOrganizations, type TokenAuthenticator } from './authenticate-token.ts'

const Named = Type.Object({ id: Id, name: text(255) })

const Membership = Type.Object({ organization: Named, role: oneOf(...roles) })

/** Who is calling, and what they may do. */
const Session = Type.Object(
  {
    user: Type.Object({ id: Id, email: nullable(text(320)), name: nullable(text(255)) }),
    organization: Named,
    account: Named,
    role: oneOf(...roles),
    permissions: Type.Array(identifier(64, 'Of the form resource:action.'), { maxItems: 100 }),
    memberships: Type.Array(Membership, {
      maxItems: 100,
      description: 'The organizations that a request may name in `X-Organization`, with the role there.',
    }),
  },
  { title: 'Session' },
)

export const sessionRoutes =
  ({ forget }: TokenAuthenticator): Routes =>
  async (app) => {
    const schema = { tags: ['session'], response: { 200: Session } }

    app.get('/auth/session', { schema: { ...schema, summary: 'Read the caller' } }, (request) =>
      sessionOf(request.caller, request.scope),
    )

    app.get('/auth/me', { schema: { ...schema, summary: 'The same as the session' } }, (request) =>
      sessionOf(request.caller, request.scope),
    )

    app.post(
      '/auth/logout',
      {
        schema: {
          tags: ['session'],
          summary: 'Sign out: the token is no longer accepted',
          response: { 200: Type.Object({ success: Type.Boolean() }) },
        },
      },
      async ({ caller, scope }) => {
        await revokeToken(scope, caller.token.hash, caller.token.acceptedUntil)
        forget(caller.token.hash.toString('hex'))
        return { success: true }
      },
    )
  }

async function sessionOf(caller: Caller, { database }: Scope) {
  const { userId, email, name, organization, account, role, permissions, memberships } = caller
  return {
    user: { id: userId, email, name },
    organization,
    account,
    role,
    permissions: [...permissions],
    memberships:
      memberships.length === 1 ? [{ organization, role }] : await nameOrganizations(database, memberships),
  }
}

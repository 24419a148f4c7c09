import { Type } from 'typebox'
import { Id, nullable, oneOf, text, identifier } from '#schema/fields.ts'
import { roles } from '#http/permissions.ts'
import type { Caller, Routes } from '#http/routes.ts'
import { revokeToken } from './queries.ts'
import type { TokenAuthenticator } from './authenticate-token.ts'

const Named = Type.Object({ id: Id, name: text(255) })

/** Who is calling, and what they may do. */
const Session = Type.Object(
  {
    user: Type.Object({ id: Id, email: nullable(text(320)), name: nullable(text(255)) }),
    organization: Named,
    account: Named,
    role: oneOf(...roles),
    permissions: Type.Array(identifier(64, 'Of the form resource:action.'), { maxItems: 100 }),
  },
  { title: 'Session' },
)

export const sessionRoutes =
  ({ forget }: TokenAuthenticator): Routes =>
  async (app) => {
    const schema = { tags: ['session'], response: { 200: Session } }

    app.get('/auth/session', { schema: { ...schema, summary: 'Read the caller' } }, ({ caller }) =>
      sessionOf(caller),
    )

    app.get('/auth/me', { schema: { ...schema, summary: 'The same as the session' } }, ({ caller }) =>
      sessionOf(caller),
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
        await revokeToken(scope, caller.token.hash, caller.token.expiresAt)
        forget(caller.token.hash.toString('hex'))
        return { success: true }
      },
    )
  }

const sessionOf = ({ userId, email, name, organization, account, role, permissions }: Caller) => ({
  user: { id: userId, email, name },
  organization,
  account,
  role,
  permissions: [...permissions],
})

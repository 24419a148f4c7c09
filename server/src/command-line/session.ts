/** Who calls the API. */
import { openApiClient, type ApiOptions } from './api-client.ts'
import { table, type CommandContext } from './command-context.ts'

interface Named {
  id: string
  name: string
}

export interface Session {
  user: { id: string; email: string | null; name: string | null }
  organization: Named
  role: string
  permissions: string[]
  memberships: { organization: Named; role: string }[]
}

export async function showSession(
  context: CommandContext,
  options: ApiOptions,
): Promise<[facts: object, text: string]> {
  const api = await openApiClient(context, options)
  const session = await api.request<Session>('GET', '/api/v1/auth/session')
  return [{ url: api.url, ...session }, describeSession(session, api.url)]
}

export function describeSession({ user, organization, role, memberships }: Session, url: string): string {
  const others = memberships.filter((one) => one.organization.id !== organization.id)
  return table([
    ['User', [user.name, user.email].filter(Boolean).join(', ') || user.id],
    ['Organization', `${organization.name} (${organization.id})`],
    ['Role', role],
    ['API', url],
    ...others.map(({ organization: other, role: otherRole }, index) => [
      index === 0 ? 'Others' : '',
      `${other.name} (${other.id}), ${otherRole}`,
    ]),
  ])
}

import { createContext, useContext, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { connect, endSession, getSession, Problem } from '@vacancy/client'
import type {
  Client,
  contract,
  Operation,
  RequestArgs,
  RequestData,
  Session as Caller,
} from '@vacancy/client'

import { takeFirstResponse } from '../first-requests.ts'
import { keepOrganization, withOrganization } from './organization.ts'
import { useSession } from './session.tsx'
import type { Session } from './session.tsx'
import { translateProblem } from './translate-problem.ts'

const ApiContext = createContext<Client | null>(null)

/** The client of the API, with the token of the person who is signed in. */
export const ApiProvider = ({ baseUrl, children }: { baseUrl: string; children: ReactNode }) => {
  const session = useSession()
  const api = useMemo(() => connectWithSession(baseUrl, session), [baseUrl, session])
  return <ApiContext value={api}>{children}</ApiContext>
}

export const useApi = (): Client => {
  const api = useContext(ApiContext)
  if (!api) throw new Error('useApi is used outside the session')
  return api
}

/** The keys of requests that were not answered. */
const unanswered = new Map<string, string>()

/**
 * Sends a request again with the same idempotency key when its response was lost, so that nothing is done twice. With
 * `seen`, the state that the person saw, this holds after the form was closed too, until they see another state.
 */
export const useSendOnce = () => {
  const api = useApi()
  const [form] = useState(() => crypto.randomUUID())
  return async <Data extends RequestData, Reply>(
    operation: Operation<Data, Reply>,
    args: RequestArgs<Data>,
    seen: unknown = form,
  ): Promise<Reply> => {
    const content = JSON.stringify([operation.path, args, seen])
    const idempotencyKey = unanswered.get(content) ?? crypto.randomUUID()
    unanswered.set(content, idempotencyKey)
    const reply = await api.send(operation, { ...args, idempotencyKey })
    unanswered.delete(content)
    return reply
  }
}

/** Without it nothing is allowed, so that a failure must not last until the page is loaded again. */
const retryEveryMs = 10_000

/** Whether the service answered that this person may not be here, and not that they come too often. */
export const isRefusal = (failure: unknown) =>
  failure instanceof Problem && failure.status < 500 && failure.status !== 429

/** What operations need, and a permission that decides what they show. */
export type Permission = contract.Permission | 'guest_contacts:read'

/** Who is signed in, and what their role allows. */
export const useCaller = () => {
  const api = useApi()
  const {
    data: caller,
    error,
    refetch,
  } = useQuery<Caller>({
    queryKey: ['session'],
    queryFn: async ({ signal }) => {
      const session = await api.send(getSession, { signal })
      keepOrganization(session.organization.id)
      return session
    },
    // An owner may change the role meanwhile.
    staleTime: 60_000,
    refetchInterval: ({ state }) => state.error !== null && !isRefusal(state.error) && retryEveryMs,
  })
  return {
    caller,
    error,
    refetch,
    may: (permission: Permission) => caller?.permissions.includes(permission) ?? false,
  }
}

/** Ends the session at the API: the token is refused from then on. */
export const revokeTokenAt = (baseUrl: string) => async (token: string) => {
  const options = { baseUrl, token: () => token, retries: 0, timeoutMs: 4000 }
  await connect({ ...options, fetch: withOrganization(fetch) }).send(endSession)
}

/** The address of the API, absolute and without its version. */
export const absoluteBase = (apiBase: string): string =>
  new URL(apiBase.replace(/\/api\/v1\/?$/, '') || '/', location.origin).href.replace(/\/$/, '')

/** A request that the page has sent while it was loading is not sent again, unless it failed. */
const fetchOnce: typeof fetch = async (address, request) => {
  const first = await takeFirstResponse(address as string, request?.method)?.catch(() => undefined)
  return first?.ok ? first : fetch(address, request)
}

const connectWithSession = (baseUrl: string, session: Session): Client =>
  connect({
    baseUrl,
    token: session.token,
    fetch: withOrganization(async (address, request) => {
      const response = await fetchOnce(address, request)
      if (response.status !== 401) return translateProblem(response)
      const token = await session.renew()
      if (!token) return translateProblem(response)
      const headers = new Headers(request?.headers)
      headers.set('authorization', `Bearer ${token}`)
      return translateProblem(
        await fetch(address, { ...request, headers, signal: stillOpen(request?.signal) }),
      )
    }),
  })

/** Of one attempt of the client. */
const timeoutMs = 15_000

/** The time limit of an attempt does not count how long the person took to sign in again. */
const stillOpen = (signal: AbortSignal | null = null): AbortSignal | null =>
  signal?.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
    ? AbortSignal.timeout(timeoutMs)
    : signal

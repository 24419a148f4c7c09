import { trimTrailingSlashes, toStorableText } from '#schema/fields.ts'
import type { Egress } from '#egress/egress.ts'
import { sendRequest, type PmsResponse } from '../send-request.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { CallContext } from '../pms-call.ts'
import type { PmsTarget } from '../pms-provider.ts'
import { toFailure, unexpectedResponse } from './failures.ts'

/** Channex limits calls by kind. */
export type CallKind = 'availability' | 'restrictions' | 'content' | 'bookings'

export type Attributes = Readonly<Record<string, unknown>>

/** A property, room type or rate plan. */
export interface Resource {
  readonly id: string
  readonly attributes: Attributes
  readonly relationships: Attributes
}

type Collection = 'properties' | 'room_types' | 'rate_plans'

export interface ChannexApi {
  readonly property: string
  /** Returns the response whatever its status. @throws PmsFailure when there is none. */
  send(request: ChannexRequest, call: CallContext): Promise<PmsResponse>
  /** Returns a successful response; `subject` names what the request is about. @throws PmsFailure */
  sendOrThrow(request: ChannexRequest, subject: string, call: CallContext): Promise<PmsResponse>
  /** Null for a successful response. */
  failureOf(response: PmsResponse, subject: string): PmsFailure | null
  /** All resources of the property. @throws PmsFailure */
  list(collection: 'room_types' | 'rate_plans', call: CallContext): Promise<Resource[]>
  find(collection: Collection, id: string, call: CallContext): Promise<Resource>
  create(collection: Collection, attributes: Attributes, call: CallContext): Promise<Resource>
  update(collection: Collection, id: string, attributes: Attributes, call: CallContext): Promise<PmsResponse>
  /** Cuts text of Channex and removes credentials from it, so that it can be stored. */
  redact(text: string): string
}

interface ChannexRequest {
  readonly kind: CallKind
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const defaultUrl = 'https://app.channex.io'
const pageSize = 100
const maxPages = 200
const maxResponseBytes = 32 * 1024 * 1024
const wrappers = { properties: 'property', room_types: 'room_type', rate_plans: 'rate_plan' } as const
const subjects = {
  properties: 'the property',
  room_types: 'the room type',
  rate_plans: 'the rate plan',
} as const

/** The API of Channex for one target. */
export function channexApi(egress: Egress, target: PmsTarget): ChannexApi {
  const root = rootUrl(target.baseUrl ?? defaultUrl)
  const apiKey = target.credentials?.['api_key'] ?? ''
  const redact = (text: string) => toStorableText(apiKey === '' ? text : text.replaceAll(apiKey, '…'), 300)

  const send: ChannexApi['send'] = ({ kind, method, path, query, body }, call) => {
    // A key that cannot be a header value is invalid, and the error of the HTTP client might repeat it.
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw invalidKey()
    // Channex has no idempotency keys: repeating the same values has no further effect.
    const { idempotencyKey: _, ...context } = call
    return sendRequest(egress, {
      provider: 'channex',
      kind,
      method,
      url: `${root}${path}${query ? `?${new URLSearchParams(query)}` : ''}`,
      ...(body !== undefined && { body }),
      headers: { 'user-api-key': apiKey },
      timeoutMs: target.timeoutMs,
      call: context,
      maxResponseBytes,
      summarize: (responseBody) => summarize(responseBody, redact),
    })
  }
  const failureOf: ChannexApi['failureOf'] = (response, subject) => toFailure(response, subject, redact)
  const sendOrThrow: ChannexApi['sendOrThrow'] = async (request, subject, call) => {
    const response = await send(request, call)
    const failure = failureOf(response, subject)
    if (failure) throw failure
    return response
  }

  return {
    property: target.property,
    send,
    sendOrThrow,
    failureOf,
    redact,
    async list(collection, call) {
      const resources = new Map<string, Resource>()
      for (let page = 1; page <= maxPages; page += 1) {
        const query = {
          'filter[property_id]': target.property,
          'pagination[page]': String(page),
          'pagination[limit]': String(pageSize),
        }
        const request = { kind: 'content', method: 'GET', path: `/${collection}`, query } as const
        const response = await sendOrThrow(request, subjects.properties, call)
        const data = dataOf(response)
        if (!Array.isArray(data)) throw unexpectedResponse(response)
        for (const item of data) {
          const resource = parseResource(item)
          if (!resource) throw unexpectedResponse(response)
          resources.set(resource.id, resource)
        }
        if (data.length < pageSize) break
      }
      return [...resources.values()]
    },
    async find(collection, id, call) {
      const path = `/${collection}/${pathSegment(id)}`
      const request = { kind: 'content', method: 'GET', path } as const
      return resourceIn(await sendOrThrow(request, subjects[collection], call), id)
    },
    async create(collection, attributes, call) {
      const body = { [wrappers[collection]]: attributes }
      const request = { kind: 'content', method: 'POST', path: `/${collection}`, body } as const
      return resourceIn(await sendOrThrow(request, subjects[collection], call))
    },
    async update(collection, id, attributes, call) {
      const path = `/${collection}/${pathSegment(id)}`
      const body = { [wrappers[collection]]: attributes }
      const request = { kind: 'content', method: 'PUT', path, body } as const
      const response = await sendOrThrow(request, subjects[collection], call)
      resourceIn(response, id)
      return response
    },
  }
}

/** Operators copy the URL with or without the path that Channex documents. */
function rootUrl(baseUrl: string): string {
  const url = trimTrailingSlashes(baseUrl)
  return url.endsWith('/api/v1') ? url : `${url}/api/v1`
}

/** Encodes an id for a path. `.` and `..` are refused: they lead to another path however they are encoded. */
export function pathSegment(id: string): string {
  if (id !== '.' && id !== '..' && id !== '') return encodeURIComponent(id)
  throw new PmsFailure('mapping_not_found', `${id || 'An empty text'} is not a valid id at Channex.`, {
    hint: 'Check the ids of the listing and the property of the channel.',
  })
}

export const dataOf = ({ body }: PmsResponse): unknown => (body as { data?: unknown } | null)?.data

/** A successful response counts only when it shows the resource that was meant. */
function resourceIn(response: PmsResponse, id?: string): Resource {
  const resource = parseResource(dataOf(response))
  if (!resource || (id !== undefined && resource.id !== id)) throw unexpectedResponse(response)
  return resource
}

function parseResource(data: unknown): Resource | null {
  const { id, attributes, relationships } = (data ?? {}) as { [member: string]: unknown }
  if (typeof id !== 'string' || typeof attributes !== 'object' || attributes === null) return null
  return { id, attributes: attributes as Attributes, relationships: (relationships ?? {}) as Attributes }
}

/** The id of the room type or property that the resource belongs to. */
export function ownerId({ attributes, relationships }: Resource, owner: 'room_type' | 'property') {
  const { data } = (relationships[owner] ?? {}) as { data?: { id?: unknown } | null }
  return data?.id ?? attributes[`${owner}_id`]
}

/** The error, or the number of tasks and warnings. */
function summarize(body: unknown, redact: (text: string) => string): string | null {
  const { data, meta, errors } = (body ?? {}) as { [member: string]: unknown }
  const { code, title } = (errors ?? {}) as { code?: unknown; title?: unknown }
  if (errors) return redact([code, title].filter((text) => typeof text === 'string').join(' '))
  const { warnings } = (meta ?? {}) as { warnings?: unknown }
  if (Array.isArray(warnings))
    return `${Array.isArray(data) ? data.length : 0} tasks, ${warnings.length} warnings`
  const [task] = Array.isArray(data) ? (data as { id?: unknown; type?: unknown }[]) : []
  return task?.type === 'task' ? redact(`task ${String(task.id)}`) : null
}

const invalidKey = () =>
  new PmsFailure('auth_rejected', 'The channel has no valid API key for Channex.', {
    hint: 'Enter the API key of Channex in the settings of the channel.',
  })

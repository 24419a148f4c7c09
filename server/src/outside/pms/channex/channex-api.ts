import { withoutLastSlashes } from '#addresses.ts'
import type { Egress } from '#egress.ts'
import { exchangeJson, storable, type Answer } from '../exchange.ts'
import { PmsFailure } from '../pms-failure.ts'
import type { Call } from '../pms-call.ts'
import type { PmsTarget } from '../pms.ts'
import { nonsense, refusalOf } from './refusal.ts'

/** What Channex counts apart: each has its own gate. */
export type Kind = 'availability' | 'restrictions' | 'content' | 'bookings'

export type Attributes = Readonly<Record<string, unknown>>

/** A property, room type or rate plan. */
export interface Resource {
  readonly id: string
  readonly attributes: Attributes
  readonly relationships: Attributes
}

export type Collection = 'properties' | 'room_types' | 'rate_plans'

export interface ChannexApi {
  readonly property: string
  /** One call whatever its answer says. @throws PmsFailure when there is no answer. */
  ask(question: Question, call: Call): Promise<Answer>
  /** An answer that must be a yes; `what` names what is asked for or told. @throws PmsFailure */
  demand(question: Question, what: string, call: Call): Promise<Answer>
  /** The refusal that an answer is, or null. */
  refusal(answer: Answer, what: string): PmsFailure | null
  /** All of the property's, page by page. @throws PmsFailure */
  list(collection: 'room_types' | 'rate_plans', call: Call): Promise<Resource[]>
  find(collection: Collection, id: string, call: Call): Promise<Resource>
  add(collection: Collection, attributes: Attributes, call: Call): Promise<Resource>
  change(collection: Collection, id: string, attributes: Attributes, call: Call): Promise<Answer>
  /** Foreign words as they may be kept: short, and without the credentials. */
  clean(words: string): string
}

interface Question {
  readonly kind: Kind
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const channexUrl = 'https://app.channex.io'
const longestPage = 100
const mostPages = 200
const longestAnswerBytes = 32 * 1024 * 1024
const wrappers = { properties: 'property', room_types: 'room_type', rate_plans: 'rate_plan' } as const
const names = {
  properties: 'the property',
  room_types: 'the room type',
  rate_plans: 'the rate plan',
} as const

/** Channex's API as one target sees it. */
export function channexApi(egress: Egress, target: PmsTarget): ChannexApi {
  const root = rootOf(target.baseUrl ?? channexUrl)
  const key = target.credentials?.['api_key'] ?? ''
  const clean = (words: string) => storable(key === '' ? words : words.replaceAll(key, '…'), 300)

  const ask: ChannexApi['ask'] = ({ kind, method, path, query, body }, call) => {
    // What cannot stand in a header cannot be a key, and an error about it might repeat it.
    if (!/^[\x21-\x7e]+$/.test(key)) throw noKey()
    // Channex knows no idempotency keys: the same values twice say the same once.
    const { idempotencyKey: _, ...asked } = call
    return exchangeJson(egress, {
      provider: 'channex',
      kind,
      method,
      url: `${root}${path}${query ? `?${new URLSearchParams(query)}` : ''}`,
      ...(body !== undefined && { body }),
      headers: { 'user-api-key': key },
      timeoutMs: target.timeoutMs,
      call: asked,
      longestAnswerBytes,
      summarize: (answer) => inBrief(answer, clean),
    })
  }
  const refusal: ChannexApi['refusal'] = (answer, what) => refusalOf(answer, what, clean)
  const demand: ChannexApi['demand'] = async (question, what, call) => {
    const answer = await ask(question, call)
    const failure = refusal(answer, what)
    if (failure) throw failure
    return answer
  }

  return {
    property: target.property,
    ask,
    demand,
    refusal,
    clean,
    async list(collection, call) {
      const found = new Map<string, Resource>()
      for (let page = 1; page <= mostPages; page += 1) {
        const query = {
          'filter[property_id]': target.property,
          'pagination[page]': String(page),
          'pagination[limit]': String(longestPage),
        }
        const question = { kind: 'content', method: 'GET', path: `/${collection}`, query } as const
        const answer = await demand(question, names.properties, call)
        const data = dataOf(answer)
        if (!Array.isArray(data)) throw nonsense(answer)
        for (const one of data) {
          const resource = resourceOf(one)
          if (!resource) throw nonsense(answer)
          found.set(resource.id, resource)
        }
        if (data.length < longestPage) break
      }
      return [...found.values()]
    },
    async find(collection, id, call) {
      const question = { kind: 'content', method: 'GET', path: `/${collection}/${segment(id)}` } as const
      return confirmed(await demand(question, names[collection], call), id)
    },
    async add(collection, attributes, call) {
      const body = { [wrappers[collection]]: attributes }
      const question = { kind: 'content', method: 'POST', path: `/${collection}`, body } as const
      return confirmed(await demand(question, names[collection], call))
    },
    async change(collection, id, attributes, call) {
      const path = `/${collection}/${segment(id)}`
      const body = { [wrappers[collection]]: attributes }
      const answer = await demand({ kind: 'content', method: 'PUT', path, body }, names[collection], call)
      confirmed(answer, id)
      return answer
    },
  }
}

/** Operators copy the address with or without the path that the documentation names. */
function rootOf(baseUrl: string): string {
  const url = withoutLastSlashes(baseUrl)
  return url.endsWith('/api/v1') ? url : `${url}/api/v1`
}

/** One segment of a path. Dots alone would lead to another place, however they are written. */
export function segment(id: string): string {
  if (id !== '.' && id !== '..' && id !== '') return encodeURIComponent(id)
  throw new PmsFailure('mapping_not_found', `Channex cannot have anything called ${id || 'nothing'}.`, {
    hint: 'Check the external ids of the listing and the property_ref of the channel target.',
  })
}

export const dataOf = ({ body }: Answer): unknown => (body as { data?: unknown } | null)?.data

/** A yes counts only when it shows the record that was meant. */
function confirmed(answer: Answer, id?: string): Resource {
  const resource = resourceOf(dataOf(answer))
  if (!resource || (id !== undefined && resource.id !== id)) throw nonsense(answer)
  return resource
}

function resourceOf(data: unknown): Resource | null {
  const { id, attributes, relationships } = (data ?? {}) as { [member: string]: unknown }
  if (typeof id !== 'string' || typeof attributes !== 'object' || attributes === null) return null
  return { id, attributes: attributes as Attributes, relationships: (relationships ?? {}) as Attributes }
}

/** The id of the record that this one belongs to. */
export function belongsTo({ attributes, relationships }: Resource, owner: 'room_type' | 'property') {
  const { data } = (relationships[owner] ?? {}) as { data?: { id?: unknown } | null }
  return data?.id ?? attributes[`${owner}_id`]
}

function inBrief(body: unknown, clean: (words: string) => string): string | null {
  const { data, meta, errors } = (body ?? {}) as { [member: string]: unknown }
  const { code, title } = (errors ?? {}) as { code?: unknown; title?: unknown }
  if (errors) return clean([code, title].filter((word) => typeof word === 'string').join(' '))
  const { warnings } = (meta ?? {}) as { warnings?: unknown }
  if (Array.isArray(warnings))
    return `${Array.isArray(data) ? data.length : 0} tasks, ${warnings.length} warnings`
  const [task] = Array.isArray(data) ? (data as { id?: unknown; type?: unknown }[]) : []
  return task?.type === 'task' ? clean(`task ${String(task.id)}`) : null
}

const noKey = () =>
  new PmsFailure('auth_rejected', 'The channel target has no API key that Channex could know.', {
    hint: 'Put the api_key of Channex into the credentials of the channel target.',
  })

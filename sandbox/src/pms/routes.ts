import { hash } from 'node:crypto'
import { Refusal, type Received } from '../json-http.ts'
import { showCalendar, takeCalendar, type Takes } from './calendar-routes.ts'
import type { Mark, Store } from './store.ts'
import { readChange, readUnit } from './unit.ts'

/** A call in the words of the property management system. */
export type Asked = {
  method: string
  path: string
  /** Undefined where the path names none. */
  property: string | undefined
  externalId: string | undefined
  /** What stands behind the property: `health`, `units`, `unit`, `calendar`; or `health` alone, or nothing known. */
  resource: 'alive' | 'health' | 'units' | 'unit' | 'calendar' | undefined
  query: URLSearchParams
}

export type Reply = { status: number; body: unknown; headers?: Record<string, string> }

const allowed = {
  alive: ['GET'],
  health: ['GET'],
  units: ['GET'],
  unit: ['GET', 'PUT', 'PATCH'],
  calendar: ['GET', 'POST'],
}

export function readPath(method: string, url: string): Asked {
  const { path, query } = parts(url)
  const [, root, ...rest] = path.split('/')
  const nothing = { property: undefined, externalId: undefined, resource: undefined }
  const asked: Asked = { method, path, query, ...nothing }
  if (root === 'health' && rest.length === 0) return { ...asked, resource: 'alive' }
  if (root !== 'properties' || rest.length < 2 || rest.length > 3) return asked
  const [property, resource, externalId] = rest.map(decoded)
  if (!property || externalId === '') return asked
  if (resource !== 'units' && resource !== 'health' && resource !== 'calendar') return asked
  if (externalId === undefined) return { ...asked, property, resource }
  return resource === 'units' ? { ...asked, property, externalId, resource: 'unit' } : asked
}

/** What a healthy system answers. */
export function reply(asked: Asked, received: Received, key: string | undefined, store: Store, takes: Takes) {
  const { property = '', externalId = '' } = asked
  if (!asked.resource) throw new Refusal(404, 'unknown_path', 'there is nothing here')
  if (!allowed[asked.resource].includes(asked.method)) {
    throw new Refusal(405, 'method_not_allowed', `${asked.method} is not possible here`)
  }
  if (asked.resource === 'alive' || asked.resource === 'health') return ok({ status: 'ok' })
  if (asked.resource === 'units') return ok({ units: store.list(property) })
  const before = store.find(property, externalId)
  if (asked.method === 'GET' && asked.resource === 'calendar')
    return ok(showCalendar(property, asked.query, store))
  if (asked.method === 'GET') return ok({ unit: before ?? unknownUnit() })

  const { text, value, refusal } = received
  if (refusal) throw refusal
  const mark = key === undefined ? undefined : { key, digest: digest(asked, text) }
  const replayed = mark && replay(store, property, mark)
  if (replayed) return replayed
  if (asked.resource === 'calendar') return ok(takeCalendar(property, value, mark, store, takes))
  if (asked.method === 'PATCH' && !before) unknownUnit()
  const fields = asked.method === 'PATCH' && before ? readChange(value, before) : readUnit(value, externalId)
  return ok({ unit: store.save(property, externalId, fields, mark) })
}

function replay(store: Store, property: string, { key, digest }: Mark): Reply | undefined {
  const kept = store.replied(property, key)
  if (!kept) return undefined
  if (kept.mark.digest === digest) {
    const body = 'unit' in kept ? { unit: kept.unit } : { accepted: kept.accepted, refused: [] }
    return { ...ok(body), headers: { 'idempotent-replayed': 'true' } }
  }
  throw new Refusal(409, 'idempotency_key_reused', 'this idempotency key was used for another request')
}

function ok(body: unknown): Reply {
  return { status: 200, body }
}

function unknownUnit(): never {
  throw new Refusal(404, 'unknown_unit', 'the property has no such unit')
}

function digest({ method, path }: Asked, text: string) {
  return hash('sha256', `${method} ${path}\n${text}`, 'base64url')
}

function parts(url: string) {
  const at = url.indexOf('?')
  return at < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, at), query: new URLSearchParams(url.slice(at)) }
}

function decoded(segment: string) {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new Refusal(400, 'invalid_path', 'the path is not readable')
  }
}

import { randomUUID } from 'node:crypto'
import { isObject, type Given } from './checks.ts'
import type { Change } from './inventory.ts'
import type { Limits } from './limits.ts'
import { invalid } from './rejection.ts'
import { readAvailability, readRestrictions, type Reader, type Site } from './values.ts'

const readers = { availability: readAvailability, restrictions: readRestrictions } satisfies Record<
  string,
  Reader
>
export type MessageKind = keyof typeof readers

export type Tasks = ReturnType<typeof openTasks>

/** Changes that were taken, applied at once and in order, or held back to show that taken is not applied. */
export function openTasks(apply: (change: Change) => void) {
  let hold = false
  const waiting: Change[] = []
  return {
    take(changes: Change[]) {
      if (hold) waiting.push(...changes)
      else for (const change of changes) apply(change)
    },

    hold(on: boolean) {
      hold = on
      if (!on) for (const change of waiting.splice(0)) apply(change)
    },

    read: () => ({ hold, waiting: waiting.length }),
  }
}

/** Takes what is right of a message, and says what is wrong with the rest; even if that is all of it. */
export function takeMessage(kind: MessageKind, body: unknown, site: Site, limits: Limits, tasks: Tasks) {
  const values = valuesOf(body)
  const properties = new Set(values.map((value) => String(value['property_id'])).filter(site.mayUse))
  limits.take(kind, properties, site.nowMs)
  return takeValues(kind, values, site, tasks)
}

export function takeValues(kind: MessageKind, values: Given[], site: Site, tasks: Pick<Tasks, 'take'>) {
  const warnings: Given[] = []
  const taken = new Set<string>()
  for (const value of values) {
    const read = readers[kind](value, site)
    if ('warning' in read) {
      warnings.push({ ...value, warning: read.warning })
      continue
    }
    taken.add(read.property.id)
    tasks.take(read.changes)
  }
  return {
    data: Array.from(taken, () => ({ id: randomUUID(), type: 'task' })),
    meta: { message: 'Success', ...(warnings.length > 0 ? { warnings } : {}) },
  }
}

export function valuesOf(body: unknown): Given[] {
  const values: unknown = isObject(body) ? body['values'] : undefined
  if (!Array.isArray(values) || values.length === 0) throw invalid({ values: ["can't be blank"] })
  if (!values.every(isObject)) throw invalid({ values: ['is invalid'] })
  return values
}

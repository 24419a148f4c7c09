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

const maxTasks = 10_000

export interface TaskManner {
  hold?: boolean | undefined
  fail?: string | null | undefined
  forget?: boolean | undefined
}

/** One message as the account works it off: `GET /tasks/:id`. */
interface Task {
  readonly id: string
  readonly propertyId: string
  status: 'pending' | 'completed' | 'failed'
  errors: readonly string[]
}

/**
 * Changes that were taken, applied at once and in order, or held back to show that taken is not applied. With `fail`
 * the tasks end with these words, and nothing of them is applied. With `forget` no task is known.
 */
export function openTasks(apply: (propertyId: string, changes: readonly Change[]) => void) {
  let hold = false
  let fail: string | null = null
  let forget = false
  const waiting: { task: Task; changes: Change[] }[] = []
  const tasks = new Map<string, Task>()
  const finish = (task: Task, changes: readonly Change[]) => {
    task.status = fail === null ? 'completed' : 'failed'
    task.errors = fail === null ? [] : [fail]
    if (fail === null) apply(task.propertyId, changes)
  }
  return {
    take(propertyId: string, changes: Change[]): string {
      const task: Task = { id: randomUUID(), propertyId, status: 'pending', errors: [] }
      tasks.set(task.id, task)
      if (tasks.size > maxTasks) tasks.delete(tasks.keys().next().value!)
      if (hold) waiting.push({ task, changes })
      else finish(task, changes)
      return task.id
    },

    set(given: TaskManner) {
      hold = given.hold ?? hold
      if (given.fail !== undefined) fail = given.fail
      forget = given.forget ?? forget
      if (!hold) for (const { task, changes } of waiting.splice(0)) finish(task, changes)
    },

    find: (id: string) => (forget ? undefined : tasks.get(id)),

    read: () => ({ hold, waiting: waiting.reduce((sum, { changes }) => sum + changes.length, 0) }),
  }
}

export const showTask = ({ id, propertyId, status, errors }: Task) => ({
  type: 'task',
  id,
  attributes: { id, property_id: propertyId, status, errors },
})

/** Takes what is right of a message, and says what is wrong with the rest; even if that is all of it. */
export function takeMessage(kind: MessageKind, body: unknown, site: Site, limits: Limits, tasks: Tasks) {
  const values = valuesOf(body)
  const properties = new Set(values.map((value) => String(value['property_id'])).filter(site.mayUse))
  limits.take(kind, properties, site.nowMs)
  return takeValues(kind, values, site, tasks)
}

export function takeValues(kind: MessageKind, values: Given[], site: Site, tasks: Pick<Tasks, 'take'>) {
  const warnings: Given[] = []
  const taken = new Map<string, Change[]>()
  for (const value of values) {
    const read = readers[kind](value, site)
    if ('warning' in read) {
      warnings.push({ ...value, warning: read.warning })
      continue
    }
    const changes = taken.get(read.property.id) ?? []
    changes.push(...read.changes)
    taken.set(read.property.id, changes)
  }
  return {
    data: Array.from(taken, ([propertyId, changes]) => ({
      id: tasks.take(propertyId, changes),
      type: 'task',
    })),
    meta: { message: 'Success', ...(warnings.length > 0 ? { warnings } : {}) },
  }
}

export function valuesOf(body: unknown): Given[] {
  const values: unknown = isObject(body) ? body['values'] : undefined
  if (!Array.isArray(values) || values.length === 0) throw invalid({ values: ["can't be blank"] })
  if (!values.every(isObject)) throw invalid({ values: ['is invalid'] })
  return values
}

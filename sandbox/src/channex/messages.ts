import { randomUUID } from 'node:crypto'
import { isObject, type Given } from './checks.ts'
import type { Change } from './inventory.ts'
import type { Limits } from './access.ts'
import { invalid } from './errors.ts'
import { readAvailability, readRestrictions, type Reader, type ReadContext } from './values.ts'

const readers = { availability: readAvailability, restrictions: readRestrictions } satisfies Record<
  string,
  Reader
>
export type MessageKind = keyof typeof readers

export type Tasks = ReturnType<typeof openTasks>

const maxTasks = 10_000

export interface TaskMode {
  hold?: boolean | undefined
  fail?: string | null | undefined
  forget?: boolean | undefined
}

/** One message as the account applies it: `GET /tasks/:id`. */
interface Task {
  readonly id: string
  readonly propertyId: string
  status: 'pending' | 'completed' | 'failed'
  errors: readonly string[]
}

/**
 * Accepted changes, applied at once and in order, or held back to show that accepted is not applied. With `fail` the
 * tasks end with that error and change nothing. With `forget` no task is known.
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

    set(given: TaskMode) {
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

/** Accepts the valid values of a message and warns of the others, even if no value is valid. */
export function acceptMessage(
  kind: MessageKind,
  body: unknown,
  context: ReadContext,
  limits: Limits,
  tasks: Tasks,
) {
  const values = valuesOf(body)
  const properties = new Set(values.map((value) => String(value['property_id'])).filter(context.mayUse))
  limits.take(kind, properties, context.nowMs)
  return acceptValues(kind, values, context, tasks)
}

export function acceptValues(
  kind: MessageKind,
  values: Given[],
  context: ReadContext,
  tasks: Pick<Tasks, 'take'>,
) {
  const warnings: Given[] = []
  const taken = new Map<string, Change[]>()
  for (const value of values) {
    const read = readers[kind](value, context)
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

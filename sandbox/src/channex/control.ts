import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { addMethods } from '../http/server.ts'
import { showRevision } from './bookings.ts'
import { isObject } from './checks.ts'
import { badRequest } from './errors.ts'
import { acceptValues, valuesOf, type TaskMode } from './messages.ts'
import { bodyOf, type Channex } from './routes.ts'
import { seed } from './seed.ts'

/** The routes through which a test fills the account, turns the clock and sets how the vendor behaves. */
export function addChannexControl(app: FastifyInstance, channex: Channex, sendDue: () => Promise<void>) {
  const { account, bookings, clock, deliveries, limits, tasks } = channex
  const addRoute = (path: string, handlers: Parameters<typeof addMethods>[2]) =>
    addMethods(app, path, handlers, ({ method }) => {
      throw badRequest(`${method} is not possible here`)
    })

  addRoute('/seed', {
    POST(request, reply) {
      reply.code(201)
      return seed(account, bodyOf(request))
    },
  })
  addRoute('/bookings', {
    POST(request, reply) {
      reply.code(201)
      return { data: showRevision(bookings.receive(bodyOf(request))) }
    },
  })
  addRoute('/values', { POST: (request) => changeManually(bodyOf(request), channex) })
  addRoute('/clock', {
    GET: () => clock.read(),
    async PUT(request) {
      clock.set(bodyOf(request))
      await sendDue()
      return clock.read()
    },
  })
  addRoute('/limits', {
    PUT(request) {
      limits.set(bodyOf(request))
      return limits.read()
    },
  })
  addRoute('/tasks', {
    GET: () => tasks.read(),
    PUT(request) {
      tasks.set(readTaskMode(bodyOf(request)))
      return tasks.read()
    },
  })
  addRoute('/deliveries', {
    GET: () => deliveries.read(),
    PUT(request) {
      deliveries.set(bodyOf(request))
      return deliveries.read()
    },
  })
  addRoute('/deliveries/release', {
    async POST(request) {
      await deliveries.release(bodyOf(request))
      return deliveries.read()
    },
  })
}

function readTaskMode(value: unknown): TaskMode {
  const { hold, fail, forget } = isObject(value) ? value : {}
  if ([hold, fail, forget].every((one) => one === undefined)) throw badRequest('hold is missing')
  for (const [name, flag] of Object.entries({ hold, forget }))
    if (flag !== undefined && typeof flag !== 'boolean') throw badRequest(`${name} is true or false`)
  if (fail !== undefined && fail !== null && typeof fail !== 'string')
    throw badRequest('fail is a text or null')
  return { hold, fail, forget } as TaskMode
}

/** Changes values as a person at the vendor does: no key, no limit, nothing held back. */
function changeManually(body: unknown, { account, applyAndNotify, clock }: Channex) {
  const kind = isObject(body) && body['kind'] === 'availability' ? 'availability' : 'restrictions'
  const site = { account, mayUse: (id: string) => account.properties.has(id), nowMs: clock.nowMs() }
  const tasks = {
    take(propertyId: string, changes: Parameters<typeof account.apply>[0][]) {
      applyAndNotify(propertyId, changes)
      return randomUUID()
    },
  }
  return acceptValues(kind, valuesOf(body), site, tasks)
}

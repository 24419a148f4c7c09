import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, receive } from '../json-http.ts'
import type { Calls } from '../pms/calls.ts'
import { control as controlFaults } from '../pms/control.ts'
import type { Faults } from '../pms/faults.ts'
import { showRevision } from './bookings.ts'
import { takeValues, valuesOf, type TaskManner } from './messages.ts'
import { isObject } from './checks.ts'
import { badRequest, rejectionOf } from './rejection.ts'
import type { Parts } from './routes.ts'
import { seed } from './seed.ts'

const doors = ['seed', 'bookings', 'clock', 'limits', 'tasks', 'deliveries', 'deliveries/release', 'values']

/** The door through which a test fills the account, turns the clock and orders misfortune. */
export async function control(
  req: IncomingMessage,
  res: ServerResponse,
  parts: Parts,
  misfortune: { faults: Faults; calls: Calls; tick: () => Promise<void> },
) {
  const { pathname } = new URL(req.url ?? '/', 'http://channex')
  const door = pathname.replace('/_control/', '')
  if (!doors.includes(door)) return controlFaults(req, res, misfortune.faults, misfortune.calls)
  const { value, refusal } = await receive(req, 10_000_000)
  if (refusal) throw rejectionOf(refusal)
  const { account, bookings, clock, deliveries, limits, tasks } = parts
  switch (`${req.method} ${door}`) {
    case 'POST seed':
      return answer(res, 201, seed(account, value))
    case 'POST bookings':
      return answer(res, 201, { data: showRevision(bookings.receive(value)) })
    case 'POST values':
      return answer(res, 200, takeDirectly(value, parts))
    case 'PUT clock':
      clock.turn(value)
      await misfortune.tick()
      return answer(res, 200, clock.read())
    case 'GET clock':
      return answer(res, 200, clock.read())
    case 'PUT limits':
      limits.set(value)
      return answer(res, 200, limits.read())
    case 'PUT tasks':
      tasks.set(readTaskManner(value))
      return answer(res, 200, tasks.read())
    case 'GET tasks':
      return answer(res, 200, tasks.read())
    case 'PUT deliveries':
      deliveries.set(value)
      return answer(res, 200, deliveries.read())
    case 'POST deliveries/release':
      await deliveries.release(value)
      return answer(res, 200, deliveries.read())
    case 'GET deliveries':
      return answer(res, 200, deliveries.read())
    default:
      throw badRequest(`${req.method} is not possible here`)
  }
}

function readTaskManner(value: unknown): TaskManner {
  const { hold, fail, forget } = isObject(value) ? value : {}
  if ([hold, fail, forget].every((one) => one === undefined)) throw badRequest('hold is missing')
  for (const [name, flag] of Object.entries({ hold, forget }))
    if (flag !== undefined && typeof flag !== 'boolean') throw badRequest(`${name} is true or false`)
  if (fail !== undefined && fail !== null && typeof fail !== 'string')
    throw badRequest('fail is a text or null')
  return { hold, fail, forget } as TaskManner
}

/** As if somebody had changed it by hand over there: no key, no limit, nothing held back. */
function takeDirectly(body: unknown, { account, applyAndTell, clock }: Parts) {
  const kind = isObject(body) && body['kind'] === 'availability' ? 'availability' : 'restrictions'
  const site = { account, mayUse: (id: string) => account.properties.has(id), nowMs: clock.nowMs() }
  const tasks = {
    take(propertyId: string, changes: Parameters<typeof account.apply>[0][]) {
      applyAndTell(propertyId, changes)
      return randomUUID()
    },
  }
  return takeValues(kind, valuesOf(body), site, tasks)
}

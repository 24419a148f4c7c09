import type { IncomingMessage, ServerResponse } from 'node:http'
import { answer, receive, Refusal } from '../json-http.ts'
import type { Calls } from './calls.ts'
import type { Faults } from './faults.ts'

/** The door through which a test tells the outside world how to behave, and sees what it was told. */
export async function control(req: IncomingMessage, res: ServerResponse, faults: Faults, calls: Calls) {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://pms')
  switch (`${req.method} ${pathname}`) {
    case 'PUT /_control/faults': {
      const { value, refusal } = await receive(req)
      if (refusal) throw refusal
      return answer(res, 200, { fault: faults.add(value) })
    }
    case 'GET /_control/faults':
      return answer(res, 200, { faults: faults.list() })
    case 'DELETE /_control/faults':
      faults.clear()
      return answer(res, 204, undefined)
    case 'GET /_control/calls': {
      const after = Number(searchParams.get('after') ?? 0)
      if (!Number.isSafeInteger(after)) throw new Refusal(422, 'invalid', 'after is a whole number', 'after')
      return answer(res, 200, calls.after(after))
    }
    case 'DELETE /_control/calls':
      calls.clear()
      return answer(res, 204, undefined)
    default:
      throw new Refusal(404, 'unknown_path', 'there is nothing here')
  }
}

import type { FastifyInstance } from 'fastify'
import { HttpError, queryOf, requireBody } from './request.ts'
import type { Calls } from './calls.ts'
import type { Faults } from './faults.ts'

/** How often a vendor sends each webhook: more copies would only fill the memory. */
export const isCopyCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 100

/** The routes under `/_control` that every vendor has: rules of faults, and the calls that arrived. */
export function addControlRoutes(app: FastifyInstance, faults: Faults, calls: Calls) {
  app.put('/faults', (request) => ({ fault: faults.add(requireBody(request)) }))
  app.get('/faults', () => ({ faults: faults.list() }))
  app.delete('/faults', (request, reply) => {
    faults.clear(queryOf(request).get('property'))
    reply.code(204).send()
  })
  app.get('/calls', (request) => {
    const after = Number(queryOf(request).get('after') ?? 0)
    if (!Number.isSafeInteger(after)) throw new HttpError(422, 'invalid', 'after is a whole number', 'after')
    return calls.after(after)
  })
  app.delete('/calls', (_request, reply) => {
    calls.clear()
    reply.code(204).send()
  })
  app.setNotFoundHandler(() => {
    throw new HttpError(404, 'unknown_path', 'there is nothing here')
  })
}

import { interceptCalls } from '../http/apply-fault.ts'
import { openCalls } from '../http/calls.ts'
import { addControlRoutes } from '../http/control-routes.ts'
import { openFaults } from '../http/faults.ts'
import { HttpError, requireBody } from '../http/request.ts'
import { addMethods, listen, openServer, type Address } from '../http/server.ts'
import { changeManually, maxCalendarBytes } from './calendar-routes.ts'
import { faultReplies } from './faults.ts'
import { addPmsRoutes, subjectOf } from './routes.ts'
import { openStore } from './store.ts'

/** A property management system that keeps what it is sent, and fails on demand. */
export async function startPms({ home, ...address }: Address & { home?: string | undefined } = {}) {
  const store = openStore(home)
  const faults = openFaults({ refusesValues: true })
  const calls = openCalls()
  const stopping = new AbortController()
  const app = openServer()
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('preClose', async () => stopping.abort())
  app.addHook('onClose', async () => store.close())

  await app.register(
    async (control) => {
      addControlRoutes(control, faults, calls)
      addMethods(
        control,
        '/values',
        { PUT: (request) => changeManually(requireBody(request), store) },
        () => {
          throw new HttpError(405, 'method_not_allowed', 'only PUT is possible here')
        },
        { bodyLimit: maxCalendarBytes },
      )
    },
    { prefix: '/_control' },
  )
  await app.register(async (api) => {
    interceptCalls(api, { calls, faults, replies: faultReplies, subjectOf, stopping: stopping.signal })
    addPmsRoutes(api, store, faults.valueRefusals)
  })
  return { url: await listen(app, address), close: () => app.close() }
}

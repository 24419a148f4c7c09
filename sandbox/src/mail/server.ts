import { listen, openServer } from '../http/server.ts'
import { addSmsRoutes } from '../sms/routes.ts'
import { openInbox } from './messages.ts'
import { addMailRoutes } from './routes.ts'
import { startSmtp, type BeforeAccept } from './smtp.ts'

/** Keeps every mail and SMS, and shows them on a page, so that nobody receives a message by accident. */
export async function startMail(
  options: { port?: number; smtpPort?: number; beforeAccept?: BeforeAccept } = {},
) {
  const { port = 0, smtpPort = 0, beforeAccept } = options
  const inbox = openInbox()
  const smtp = await startSmtp(inbox, { port: smtpPort, beforeAccept })
  const app = openServer()
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  addMailRoutes(app, inbox)
  addSmsRoutes(app, inbox)
  return {
    url: await listen(app, { port }),
    smtpUrl: smtp.url,
    messages: inbox.all,
    clear: inbox.clear,
    close: async () => void (await Promise.all([smtp.close(), app.close()])),
  }
}

import { imitated } from '../src/identity/imitations.ts'
import { peopleIn } from '../src/identity/people.ts'
import { startSandbox } from '../src/sandbox.ts'

const env = process.env
const sandbox = await startSandbox({
  home: env.SANDBOX_HOME,
  identityPort: Number(env.SANDBOX_IDENTITY_PORT ?? 0),
  pmsPort: Number(env.SANDBOX_PMS_PORT ?? 0),
  paymentsPort: Number(env.SANDBOX_PAYMENTS_PORT ?? 0),
  mailPort: Number(env.SANDBOX_MAIL_PORT ?? 0),
  smtpPort: Number(env.SANDBOX_SMTP_PORT ?? 0),
  ...(env.SANDBOX_PAYMENTS_WEBHOOK_URL && {
    paymentsWebhook: {
      url: env.SANDBOX_PAYMENTS_WEBHOOK_URL,
      secret: env.SANDBOX_PAYMENTS_WEBHOOK_SECRET ?? '',
    },
  }),
  people: env.SANDBOX_PEOPLE === undefined ? () => [] : peopleIn(env.SANDBOX_PEOPLE),
  ...(env.SANDBOX_CONSOLE_ORIGIN === undefined ? {} : { consoleOrigin: env.SANDBOX_CONSOLE_ORIGIN }),
  imitates: imitated.find((provider) => provider === env.SANDBOX_IMITATES),
  ...(env.SANDBOX_AUDIENCE === undefined ? {} : { audience: env.SANDBOX_AUDIENCE }),
  ...(env.SANDBOX_CLIENT_ID === undefined ? {} : { clientId: env.SANDBOX_CLIENT_ID }),
  ...(env.SANDBOX_SCOPES === undefined ? {} : { scopes: env.SANDBOX_SCOPES }),
})

const { close, ...urls } = sandbox

let closing: Promise<unknown> | undefined
const stop = () => {
  closing ??= close().then(() => process.connected && process.disconnect())
}
process.on('SIGTERM', stop).on('SIGINT', stop).on('disconnect', stop)

const ready = { ready: true, ...urls }
if (process.send) process.send(ready)
else console.log(JSON.stringify(ready))

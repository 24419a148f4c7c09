import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Provider } from 'oidc-provider'
import { messagePage, signInPage } from './pages.ts'
import type { People } from './people.ts'

export const signInPath = '/sign-in/'

/** Shows the people to choose from, and signs in the chosen one. */
export async function signIn(
  provider: Provider,
  people: People,
  consoleOrigins: string[],
  req: IncomingMessage,
  res: ServerResponse,
) {
  const interaction = await provider.interactionDetails(req, res).catch(() => undefined)
  if (!interaction) {
    const message = 'This sign-in was finished or has expired. Start again from the console.'
    return show(res, 400, messagePage('Sign in again', message, consoleOrigins[0] ?? ''), consoleOrigins)
  }
  // No consent is needed: console and provider belong together.
  if (interaction.prompt.name !== 'login') {
    return provider.interactionFinished(req, res, { consent: {} }, { mergeWithLastSubmission: true })
  }
  const known = people()
  const { redirect_uri } = interaction.params
  const origins = typeof redirect_uri === 'string' ? [new URL(redirect_uri).origin] : []
  if (req.method !== 'POST') {
    return show(res, 200, signInPage(signInPath + interaction.uid, known), origins)
  }
  const chosen = new URLSearchParams(await text(req)).get('person')
  const person = known.find(({ id }) => id === chosen)
  if (!person) return show(res, 422, signInPage(signInPath + interaction.uid, known), origins)
  await provider.interactionFinished(
    req,
    res,
    { login: { accountId: person.id } },
    { mergeWithLastSubmission: false },
  )
}

function show(res: ServerResponse, status: number, html: string, origins: string[]) {
  // The client is named because browsers apply form-action to the redirects after a form as well.
  const policy = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' ${origins.join(' ')}`
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
  })
  res.end(html)
}

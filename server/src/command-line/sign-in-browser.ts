/** Signs in through a browser: authorization code with PKCE, and a redirect to this machine (RFC 8252). */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CommandContext } from './command-context.ts'
import { CommandError } from './command-error.ts'
import { postForm, type Provider, type TokenResponse } from './oidc.ts'
import type { SignInSettings } from './sign-in-settings.ts'

const timeoutMs = 5 * 60_000

export async function signInWithBrowser(
  { err, env }: Pick<CommandContext, 'err' | 'env'>,
  provider: Provider,
  { clientId, scope, resource, extraParams }: SignInSettings,
  opensBrowser: boolean,
): Promise<TokenResponse> {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  await using listener = await listenForCode(provider.issuer, state)
  const url = new URL(provider.authorization_endpoint)
  const parameters = {
    ...extraParams,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: listener.redirectUri,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
  }
  for (const [name, value] of Object.entries(parameters))
    if (value !== null) url.searchParams.set(name, value)
  err.write(`Sign in at this address:\n\n  ${url.href}\n\n`)
  if (opensBrowser) openBrowser(url.href, env)
  const code = await listener.code
  return await postForm<TokenResponse>(provider.issuer, provider.token_endpoint, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: listener.redirectUri,
    resource,
  })
}

async function listenForCode(issuer: string, state: string) {
  const received = Promise.withResolvers<string>()
  received.promise.catch(() => {})
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname !== '/callback') return void response.writeHead(404).end()
    const [code, error, sentBy] = ['code', 'error', 'iss'].map((name) => searchParams.get(name))
    if (searchParams.get('state') !== state || (sentBy && sentBy !== issuer))
      return showPage(response, 400, 'This sign-in was not started by the command that waits here.')
    if (code) {
      showPage(response, 200, 'You are signed in. You can close this page and return to the terminal.')
      return received.resolve(code)
    }
    const reason = searchParams.get('error_description') ?? error ?? 'no code was sent'
    showPage(response, 400, 'You are not signed in. The terminal shows why.')
    received.reject(new CommandError('authentication', `The identity provider ${issuer} refuses: ${reason}.`))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const timer = setTimeout(
    () => received.reject(new CommandError('authentication', 'Nobody signed in within 5 minutes.')),
    timeoutMs,
  )
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code: received.promise,
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      server.close()
      server.closeIdleConnections()
    },
  }
}

function showPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Vacancy</title>
<style>:root { color-scheme: light dark } body { font: 17px/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 32em; padding: 0 16px }</style>
<p>${text}</p></html>`)
}

/** Whoever has no browser here opens the printed address elsewhere. */
function openBrowser(url: string, env: CommandContext['env']): void {
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const browser = spawn(command, [url], { stdio: 'ignore', detached: true, env })
  browser.on('error', () => {})
  browser.unref()
}

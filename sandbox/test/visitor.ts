import { createHash } from 'node:crypto'

/** Cookies by name, with the path they are for. */
export type Jar = Map<string, { value: string; path: string }>

/** For requests around a restart, where a kept connection would be closed. */
export const unpooled = { connection: 'close' }

/** The URL to which the console sends a person to sign in. */
export function authorizationAt(issuer: string, origin: string, verifier: string) {
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return `${issuer}/auth?client_id=vacancy-console&response_type=code&scope=openid+profile+email+offline_access&redirect_uri=${encodeURIComponent(`${origin}/callback`)}&state=state&code_challenge=${challenge}&code_challenge_method=S256`
}

/** Follows redirects with cookies as a browser does, until a page is shown or another site is reached. */
export async function visit(jar: Jar, from: string, form?: URLSearchParams) {
  const site = new URL(from).origin
  let url = from
  let body = form
  for (;;) {
    const { pathname } = new URL(url)
    const cookies = [...jar].filter(([, { path }]) => pathname.startsWith(path))
    const res = await fetch(url, {
      redirect: 'manual',
      headers: {
        ...unpooled,
        accept: 'text/html',
        cookie: cookies.map(([name, { value }]) => `${name}=${value}`).join('; '),
      },
      ...(body ? { method: 'POST', body } : {}),
    })
    for (const line of res.headers.getSetCookie()) take(jar, line, pathname)
    const html = await res.text()
    const found = res.headers.get('location')
    if (!found) return { res, html, url, location: undefined }
    url = new URL(found, url).href
    if (new URL(url).origin !== site) return { res, html, url, location: url }
    body = undefined
  }
}

function take(jar: Jar, line: string, pathname: string) {
  const [pair = '', ...attributes] = line.split('; ')
  const at = pair.indexOf('=')
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? pathname
  const value = pair.slice(at + 1)
  if (value === '') jar.delete(pair.slice(0, at))
  else jar.set(pair.slice(0, at), { value, path })
}

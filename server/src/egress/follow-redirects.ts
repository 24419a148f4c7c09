import type { Egress, EgressOptions } from './egress.ts'
import type { EgressResponse } from './response.ts'

const maxRedirects = 3

/** A redirect leads nowhere, or there are too many. */
export class RedirectRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RedirectRefused'
  }
}

/** Makes a call and follows its redirects, each of which is checked like the first address. @throws RedirectRefused */
export async function requestFollowing(
  egress: Egress,
  url: string,
  options: EgressOptions,
): Promise<EgressResponse> {
  let location = url
  for (let redirects = 0; ; redirects++) {
    const reply = await egress.request(location, options)
    if (![301, 302, 303, 307, 308].includes(reply.status)) return reply
    const header = reply.headers['location']
    const target = Array.isArray(header) ? header[0] : header
    if (!target || target.length > 1_000 || !URL.canParse(target, location))
      throw new RedirectRefused('The address redirects to an invalid location.')
    if (redirects === maxRedirects) throw new RedirectRefused('The address redirects too often.')
    location = new URL(target, location).href
  }
}

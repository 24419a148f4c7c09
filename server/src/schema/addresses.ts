import { isEmailValid } from '@hapi/address'

/** Some servers forward `user%elsewhere@here` and `elsewhere!user@here` to another host. */
const routingCharacters = /[%!]/

/** One plain e-mail address: no name beside it, no comment, no group, no IP address. */
export const isMailAddress = (text: string): boolean =>
  isEmailValid(text, { allowUnicode: false, minDomainSegments: 2 }) && !routingCharacters.test(text)

/** A URL that a path is appended to. The lookbehind keeps the pattern linear when there are many slashes in a row. */
export const trimTrailingSlashes = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

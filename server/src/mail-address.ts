import { isEmailValid } from '@hapi/address'

/** What routes a message on, instead of naming a mailbox: some servers obey `user%elsewhere@here` and `elsewhere!user@here`. */
const routes = /[%!]/

/** Exactly one address that mail can reach, written plainly: no name beside it, no comment, no group, no IP address. */
export const isMailAddress = (text: string): boolean =>
  isEmailValid(text, { allowUnicode: false, minDomainSegments: 2 }) && !routes.test(text)

import { erasedName } from './guest.ts'

/** Removes a guest from JSON values. */

/** The texts by which a guest is recognized. */
export interface GuestTerms {
  readonly emails: readonly string[]
  readonly phones: readonly string[]
  readonly names: readonly string[]
}

const erasedText = 'erased'
const nameMembers = /^guest_?name$/i
const guestMembers =
  /^guest_?(e?_?mail|phone|(first|last|given|family|sur)_?name|address|street|city|state|country|zip\w*|post\w*|picture|notes?|language|locale)$|^(customer|guest|pms_?guest|guest_?details|guest_?info|contact|booker)$|(^|_)e?-?mail(_address)?$|^(e?mail|phone|mobile|telephone)|phone(_?number)?$|^notes?$|(guest|host|special|customer|pms)_?(notes?|requests?|wishes)$|^comments?$/i

/** Empties the members that hold guest data, and replaces the terms of the guest in all other texts. */
export function redactGuest(value: unknown, guest: GuestTerms): unknown {
  const replace = buildReplacer(guest)
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return replace(part)
    if (Array.isArray(part)) return part.map(walk)
    if (part === null || typeof part !== 'object') return part
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]: [string, unknown]) => {
        if (nameMembers.test(name)) return [name, inner === null ? null : erasedName]
        return [name, guestMembers.test(name) ? emptyValues(inner) : walk(inner)]
      }),
    )
  }
  return walk(value)
}

const emptyValues = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(emptyValues)
  if (part === null || typeof part !== 'object') return null
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, emptyValues(inner)]))
}

const keptMembers =
  /(^|_)(id|ids|ref|code|type|kind|event|status|date|dates|at|time|timestamp|currency|revision|source|provider|property|checkin|checkout|arrival|departure|nights?|version)$/
const keptText = /^[\w.:+#/-]{1,100}$/

/**
 * For messages of others, whose members are not all known: keeps only numbers, ids, dates and states, and nothing of
 * members that hold guest data.
 */
export function redactForeign(value: unknown, guest: GuestTerms): unknown {
  const replace = buildReplacer(guest)
  const walk = (part: unknown, name: string): unknown => {
    if (Array.isArray(part)) return part.map((one) => walk(one, name))
    if (part !== null && typeof part === 'object')
      return Object.fromEntries(
        Object.entries(part).map(([member, inner]) => [
          member,
          nameMembers.test(member) || guestMembers.test(member) ? emptyValues(inner) : walk(inner, member),
        ]),
      )
    if (typeof part !== 'string') return part
    return keptMembers.test(toSnakeCase(name)) && keptText.test(part) ? replace(part) : erasedText
  }
  return walk(value, '')
}

const toSnakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).toLowerCase()

/** A function that replaces the terms of the guest in a text, in any case. */
export function buildReplacer(guest: GuestTerms): (text: string) => string {
  const terms = searchTerms(guest)
  if (terms.length === 0) return (text) => text
  const any = new RegExp(matchAnyPattern(terms), 'giu')
  return (text) => text.replace(any, erasedText)
}

/** A regular expression for the literal terms, valid in JavaScript and PostgreSQL. */
export const matchAnyPattern = (terms: readonly string[]) =>
  terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')

/** Longest first, so that a term that contains another is replaced as a whole. */
export const searchTerms = ({ emails, phones, names }: GuestTerms): string[] =>
  [...new Set([...emails, ...phones.filter(isDistinctive), ...names.filter(isDistinctive)])].sort(
    (one, other) => other.length - one.length,
  )

/** Words such as "Guest" or "Ada" occur in texts about other people. */
const isDistinctive = (text: string) =>
  text !== erasedName &&
  text.length >= 5 &&
  (text.trim().includes(' ') || text.replace(/\D/g, '').length >= 5)

/** Whether a member that holds a reference, by its name, holds one of these ids. */
export function mentionsRecord(value: unknown, ids: ReadonlySet<string>): boolean {
  const walk = (part: unknown, name: string): boolean => {
    if (Array.isArray(part)) return part.some((one) => walk(one, name))
    if (part !== null && typeof part === 'object')
      return Object.entries(part).some(([member, inner]) => walk(inner, member))
    return (
      (typeof part === 'string' || typeof part === 'number') &&
      referenceMembers.test(name) &&
      ids.has(String(part))
    )
  }
  return walk(value, '')
}

const referenceMembers = /(id|ids|ref|reference|code|number)$/i

import { erasedName } from './guest.ts'

/** Takes a guest out of what is kept: pure rules, over values as they stand in JSON. */

/** What a guest is recognized by. Kept sealed while the work lasts. */
export interface Guest {
  readonly emails: readonly string[]
  readonly phones: readonly string[]
  readonly names: readonly string[]
}

const blank = 'erased'
const nameMember = /^guest_?name$/i
const guestMember =
  /^guest_?(e?_?mail|phone|(first|last|given|family|sur)_?name|address|street|city|state|country|zip\w*|post\w*|picture|notes?|language|locale)$|^(customer|guest|pms_?guest|guest_?details|guest_?info|contact|booker)$|(^|_)e?-?mail(_address)?$|^(e?mail|phone|mobile|telephone)|phone(_?number)?$|^notes?$|(guest|host|special|customer|pms)_?(notes?|requests?|wishes)$|^comments?$/i

/** Members that hold a guest's data are emptied, and what recognizes the guest is taken out of every text. */
export function withoutGuest(value: unknown, guest: Guest): unknown {
  const replace = replacing(guest)
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return replace(part)
    if (Array.isArray(part)) return part.map(walk)
    if (part === null || typeof part !== 'object') return part
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]: [string, unknown]) => {
        if (nameMember.test(name)) return [name, inner === null ? null : erasedName]
        return [name, guestMember.test(name) ? emptied(inner) : walk(inner)]
      }),
    )
  }
  return walk(value)
}

const emptied = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(emptied)
  if (part === null || typeof part !== 'object') return null
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, emptied(inner)]))
}

const plainName =
  /(^|_)(id|ids|ref|code|type|kind|event|status|date|dates|at|time|timestamp|currency|revision|source|provider|property|checkin|checkout|arrival|departure|nights?|version)$/
const plainText = /^[\w.:+#/-]{1,100}$/

/**
 * What others told in their own form, of which nobody knows all members: only numbers, names of records, days and
 * states are left, and nothing of a member that speaks of a guest.
 */
export function withoutWords(value: unknown, guest: Guest): unknown {
  const replace = replacing(guest)
  const walk = (part: unknown, name: string): unknown => {
    if (Array.isArray(part)) return part.map((one) => walk(one, name))
    if (part !== null && typeof part === 'object')
      return Object.fromEntries(
        Object.entries(part).map(([member, inner]) => [
          member,
          nameMember.test(member) || guestMember.test(member) ? emptied(inner) : walk(inner, member),
        ]),
      )
    if (typeof part !== 'string') return part
    return plainName.test(snake(name)) && plainText.test(part) ? replace(part) : blank
  }
  return walk(value, '')
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).toLowerCase()

/** Makes of a text one without what recognizes the guest, in whatever case. */
export function replacing(guest: Guest): (text: string) => string {
  const needles = needlesOf(guest)
  if (needles.length === 0) return (text) => text
  const any = new RegExp(anyOf(needles), 'giu')
  return (text) => text.replace(any, blank)
}

/** A pattern that finds each of them to the letter, here and in PostgreSQL. */
export const anyOf = (needles: readonly string[]) =>
  needles.map((needle) => needle.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')

/** The longest first, so that what contains another is taken whole. */
export const needlesOf = ({ emails, phones, names }: Guest): string[] =>
  [...new Set([...emails, ...phones.filter(isTelling), ...names.filter(isTelling)])].sort(
    (one, other) => other.length - one.length,
  )

/** A word such as "Guest" or "Ada" stands in many texts that are of nobody. */
const isTelling = (text: string) =>
  text !== erasedName &&
  text.length >= 5 &&
  (text.trim().includes(' ') || text.replace(/\D/g, '').length >= 5)

/** Whether a member that names a record, by its own name, names one of these. */
export function mentions(value: unknown, ids: ReadonlySet<string>): boolean {
  const walk = (part: unknown, name: string): boolean => {
    if (Array.isArray(part)) return part.some((one) => walk(one, name))
    if (part !== null && typeof part === 'object')
      return Object.entries(part).some(([member, inner]) => walk(inner, member))
    return (
      (typeof part === 'string' || typeof part === 'number') && naming.test(name) && ids.has(String(part))
    )
  }
  return walk(value, '')
}

const naming = /(id|ids|ref|reference|code|number)$/i

import { BookingInput } from './booking.ts'

/** What a member may be spelled like beside its own name: `unit_id` for `unitId`. */
const spellings = new Map(
  Object.keys(BookingInput.properties).flatMap((name) => {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return snake === name ? [] : [[snake, name]]
  }),
)

/** The body with its members spelled as the contract does. One that is named both ways is left for the validator. */
export function respelled(body: unknown): unknown {
  if (!body || typeof body !== 'object' || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const own = spellings.get(name)
      return [own && !Object.hasOwn(body, own) ? own : name, value]
    }),
  )
}

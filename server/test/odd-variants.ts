/** The value with something of another type in place of it and of each member; of arrays only of the first. */
export function* oddVariants(value: unknown): Generator<unknown> {
  yield* [null, 7, 'odd', [], {}]
  if (Array.isArray(value)) {
    for (const first of value.length > 0 ? oddVariants(value[0]) : []) yield [first, ...value.slice(1)]
  } else if (value !== null && typeof value === 'object')
    for (const [name, member] of Object.entries(value))
      for (const variant of oddVariants(member)) yield { ...value, [name]: variant }
}

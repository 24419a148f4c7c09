/** Reads one member of an address; undefined for what is not understood. */
type Reader<T> = (value: unknown) => T | undefined

type Filter<Readers> = { [Name in keyof Readers]?: Readers[Name] extends Reader<infer T> ? T : never }

/** Builds the filter of a screen from its address, so that a view can be sent to a colleague. */
export const readSearch =
  <Readers extends Record<string, Reader<unknown>>>(readers: Readers) =>
  (search: Record<string, unknown>): Filter<Readers> =>
    Object.fromEntries(
      Object.entries(readers).flatMap(([name, read]) => {
        const value = read(search[name])
        return value === undefined ? [] : [[name, value]]
      }),
    ) as Filter<Readers>

export const text: Reader<string> = (value) =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, 200) || undefined
    : undefined

export const date: Reader<string> = (value) =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined

export const oneOf =
  <T extends string>(known: readonly T[]): Reader<T> =>
  (value) =>
    known.find((one) => one === value)

export const flag: Reader<true> = (value) => (value === true || value === 'true' ? true : undefined)

/** The filter with one member changed; an empty value removes it. */
export const withMember = <F extends object, Name extends keyof F>(
  filter: F,
  name: Name,
  value: F[Name] | '' | undefined,
): F => {
  const { [name]: _, ...rest } = filter
  return (value === '' || value === undefined ? rest : { ...rest, [name]: value }) as F
}

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

/** The dates of the API. */
export const minDate = '1970-01-01'
export const maxDate = '2200-12-31'

/** A day that exists: browsers read 31 February as 3 March. */
export const date: Reader<string> = (value) => {
  if (typeof value !== 'string' || value < minDate || value > maxDate) return undefined
  const day = new Date(value)
  return !Number.isNaN(+day) && day.toISOString().slice(0, 10) === value ? value : undefined
}

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

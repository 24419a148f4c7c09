export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

declare const takes: unique symbol
declare const gives: unique symbol

/** One line of the contract: where to call, and (in its type only) what it takes and what it gives back. */
export interface Operation<Data extends Call, Reply> {
  method: Method
  path: string
  [takes]?: Data
  [gives]?: Reply
}

/** The shape that every generated `…Data` type has. */
export interface Call {
  url: string
  path?: unknown
  query?: unknown
  body?: unknown
  headers?: unknown
}

export const operation = <Data extends Call, Reply>(
  method: Method,
  path: Data['url'],
): Operation<Data, Reply> => ({ method, path })

/** `/units/{id}` and its values become the address, the query's arrays repeated as the API reads them. */
export const addressOf = (base: string, path: string, values: unknown, query: unknown): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (values as Record<string, unknown> | undefined)?.[name]
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
      throw new TypeError(`${path} needs a value for ${name}`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one))
    }
  }
  return base.replace(/\/$/, '') + filled + (search.size > 0 ? `?${search.toString()}` : '')
}

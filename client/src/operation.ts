export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

declare const requestType: unique symbol
declare const responseType: unique symbol

/** An operation of the API. The types of its request and response exist only in the type. */
export interface Operation<Data extends RequestData, Reply> {
  method: Method
  path: string
  [requestType]?: Data
  [responseType]?: Reply
}

/** What every generated `…Data` type has. */
export interface RequestData {
  url: string
  path?: unknown
  query?: unknown
  body?: unknown
  headers?: unknown
}

/** In a path these are steps, also when they are encoded: the request would go to another operation. */
const steps: unknown[] = ['', '.', '..']

/** Fills the path parameters and adds the query; a list becomes a repeated parameter. */
export const buildUrl = (base: string, path: string, values: unknown, query: unknown): string => {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = (values as Record<string, unknown> | undefined)?.[name]
    if ((typeof value !== 'string' && typeof value !== 'number') || steps.includes(value))
      throw new TypeError(`${path} needs a value for ${name}`)
    return encodeURIComponent(String(value))
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    // Without the filter the response would be every record, although none was asked for.
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`The filter ${name} has no values: leave it out to match every record`)
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) search.append(name, String(one))
    }
  }
  return base.replace(/\/$/, '') + filled + (search.size > 0 ? `?${search.toString()}` : '')
}

/** Throws a TypeError for a base URL that is none: each request would fail as if the service were away. */
export const checkBaseUrl = (baseUrl: string) => {
  if (!/^https?:\/\/[^/]/i.test(baseUrl))
    throw new TypeError(`The base URL needs http:// or https://, such as https://vacancy.example: ${baseUrl}`)
}

/** A file is sent as it is, a body with a file as a form whose file comes last, any other as JSON. */
export const encodeBody = (body: unknown): string | FormData | Blob => {
  if (body instanceof Blob) return body
  const members = Object.entries(body as Record<string, string | Blob>)
  const files = members.filter(([, value]) => value instanceof Blob)
  if (files.length === 0) return JSON.stringify(body)
  const form = new FormData()
  for (const [name, value] of [...members.filter((one) => !files.includes(one)), ...files])
    form.append(name, value)
  return form
}

import { badRequest } from './errors.ts'

export type Shown = { type: string; id: string; attributes: object; relationships?: object }

/** A page of a list: filtered and sorted by the query. */
export function listed(found: Shown[], query: URLSearchParams, defaultOrder: string, references: References) {
  const filtered = found.filter(filterOf(query, references))
  const [field, direction] = order(query) ?? [defaultOrder, 'asc']
  const valueOf = (shown: Shown) => fieldOf(shown, field, references)
  const sign = direction === 'desc' ? -1 : 1
  filtered.sort((a, b) => sign * compare(valueOf(a), valueOf(b)))
  const page = wholeOf(query, 'pagination[page]', 1)
  const limit = Math.min(wholeOf(query, 'pagination[limit]', 10), 100)
  const data = filtered.slice((page - 1) * limit, page * limit)
  return { data, meta: { page, total: filtered.length, limit } }
}

/** Fields that a query may name beside the attributes that are shown. */
export type References = (id: string) => Record<string, unknown>

const operators: Record<string, (difference: number) => boolean> = {
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
  eq: (difference) => difference === 0,
  not: (difference) => difference !== 0,
}

/** `filter[field]=a,b` means one of them, `filter[field][gte]=a` compares. */
export function filterOf(query: URLSearchParams, references: References): (shown: Shown) => boolean {
  const conditions = [...query].flatMap(([name, value]) => {
    const [, field, operator] = /^filter\[(\w+)\](?:\[(\w+)\])?$/.exec(name) ?? []
    if (field === undefined) return []
    const test = operators[operator ?? 'eq']
    if (!test) throw badRequest(`${name} is not known`)
    const values = operator === undefined ? value.split(',') : [value]
    return [{ field, test, values: values.map((text) => text.replace(/Z$/, '')) }]
  })
  return (shown) =>
    conditions.every(({ field, test, values }) => {
      const is = fieldOf(shown, field, references)
      return is !== undefined && values.some((value) => test(compare(is, value)))
    })
}

function wholeOf(query: URLSearchParams, name: string, fallback: number): number {
  const given = query.get(name)
  if (given === null) return fallback
  if (!/^[1-9]\d{0,8}$/.test(given)) throw badRequest(`${name} is invalid`)
  return Number(given)
}

function order(query: URLSearchParams): [field: string, direction: string] | undefined {
  for (const [name, direction] of query) {
    const field = /^order\[(\w+)\]$/.exec(name)?.[1]
    if (field !== undefined) return [field, direction]
  }
  return undefined
}

function fieldOf(shown: Shown, field: string, references: References): unknown {
  return { ...references(shown.id), ...shown.attributes, id: shown.id }[field]
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

import { badRequest } from './rejection.ts'

export type Shown = { type: string; id: string; attributes: object; relationships?: object }

/** The part of a list that was asked for, in the order asked for. */
export function listed(found: Shown[], query: URLSearchParams, orderAtFirst: string, more: References) {
  const sieved = found.filter(sieve(query, more))
  const [field, direction] = order(query) ?? [orderAtFirst, 'asc']
  const valueOf = (shown: Shown) => fieldOf(shown, field, more)
  const sign = direction === 'desc' ? -1 : 1
  sieved.sort((a, b) => sign * compare(valueOf(a), valueOf(b)))
  const page = wholeOf(query, 'pagination[page]', 1)
  const limit = Math.min(wholeOf(query, 'pagination[limit]', 10), 100)
  const data = sieved.slice((page - 1) * limit, page * limit)
  return { data, meta: { page, total: sieved.length, limit } }
}

/** What may be asked for beside the attributes that are shown. */
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
export function sieve(query: URLSearchParams, more: References): (shown: Shown) => boolean {
  const wanted = [...query].flatMap(([name, value]) => {
    const [, field, operator] = /^filter\[(\w+)\](?:\[(\w+)\])?$/.exec(name) ?? []
    if (field === undefined) return []
    const test = operators[operator ?? 'eq']
    if (!test) throw badRequest(`${name} is not known`)
    const values = operator === undefined ? value.split(',') : [value]
    return [{ field, test, values: values.map((text) => text.replace(/Z$/, '')) }]
  })
  return (shown) =>
    wanted.every(({ field, test, values }) => {
      const is = fieldOf(shown, field, more)
      return is !== undefined && values.some((value) => test(compare(is, value)))
    })
}

export function wholeOf(query: URLSearchParams, name: string, fallback: number): number {
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

function fieldOf(shown: Shown, field: string, more: References): unknown {
  return { ...more(shown.id), ...shown.attributes, id: shown.id }[field]
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

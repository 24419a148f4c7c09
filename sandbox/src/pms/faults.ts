import { Refusal } from '../json-http.ts'

const modes = ['slow', 'down', 'refuse', 'garbage', 'rate_limit', 'lose_reply', 'hang'] as const

export type Fault = {
  mode: (typeof modes)[number]
  delay_ms?: number
  status?: number
  code?: string
  retry_after?: number | 'date'
  property?: string
  external_id?: string
  times?: number
  limit?: number
  window_ms?: number
}

/** A fault that befalls one call. `untilMs` is when it is worth trying again, if the rule says. */
export type Strike = { fault: Fault; untilMs: number }

type Rule = { id: number; fault: Fault; left: number; windowEndsMs: number; count: number }

type Target = { property: string | null; external_id: string | null }

export type Faults = ReturnType<typeof openFaults>

/** The rules by which the outside world misbehaves. */
export function openFaults() {
  let rules: Rule[] = []
  let lastId = 0

  return {
    add(body: unknown) {
      const fault = readFault(body)
      lastId += 1
      const rule = { id: lastId, fault, left: fault.times ?? Infinity, windowEndsMs: 0, count: 0 }
      rules.push(rule)
      return described(rule)
    },

    list: () => rules.map(described),

    clear() {
      rules = []
    },

    /** The first rule that befalls this call, if any; a rule that is used up is gone. */
    strike(target: Target, nowMs = Date.now()): Strike | undefined {
      const rule = rules.find((rule) => matches(rule.fault, target) && !withinLimit(rule, nowMs))
      if (!rule) return undefined
      rule.left -= 1
      if (rule.left <= 0) rules = rules.filter((other) => other !== rule)
      const windowEndsMs = rule.fault.mode === 'rate_limit' ? rule.windowEndsMs : nowMs + windowMs(rule.fault)
      return { fault: rule.fault, untilMs: windowEndsMs }
    },
  }
}

/** The value of a `retry-after` header, in the spelling the rule asks for; whole seconds, rounded up. */
export function retryAfter({ fault, untilMs }: Strike, nowMs = Date.now()): string | undefined {
  if (typeof fault.retry_after === 'number') return String(fault.retry_after)
  if (fault.retry_after === 'date') return new Date(Math.ceil(untilMs / 1000) * 1000).toUTCString()
  if (fault.mode !== 'rate_limit') return undefined
  return String(Math.max(1, Math.ceil((untilMs - nowMs) / 1000)))
}

function described({ id, fault, left }: Rule) {
  return { id, ...fault, ...(left === Infinity ? {} : { left }) }
}

function matches({ property, external_id }: Fault, target: Target) {
  return (
    (property === undefined || property === target.property) &&
    (external_id === undefined || external_id === target.external_id)
  )
}

/** Counts the call; true while a rate limit still lets it through. */
function withinLimit(rule: Rule, nowMs: number) {
  if (rule.fault.mode !== 'rate_limit') return false
  if (nowMs >= rule.windowEndsMs) {
    rule.windowEndsMs = nowMs + windowMs(rule.fault)
    rule.count = 0
  }
  rule.count += 1
  return rule.count <= (rule.fault.limit ?? 10)
}

function windowMs({ window_ms = 1000 }: Fault) {
  return window_ms
}

const members: Record<string, (value: unknown) => boolean> = {
  mode: (value) => modes.some((mode) => mode === value),
  delay_ms: whole(0, 3_600_000),
  status: whole(400, 599),
  code: (value) => typeof value === 'string',
  retry_after: (value) => value === 'date' || whole(0, 86_400)(value),
  property: (value) => typeof value === 'string',
  external_id: (value) => typeof value === 'string',
  times: whole(1, 1_000_000),
  limit: whole(0, 1_000_000),
  window_ms: whole(1, 86_400_000),
}

function readFault(body: unknown): Fault {
  if (typeof body !== 'object' || body === null) throw new Refusal(422, 'invalid', 'a fault is an object')
  const fault = { ...body } as Record<string, unknown>
  for (const name of new Set(['mode', ...Object.keys(fault)])) {
    if (Object.hasOwn(members, name) && members[name]?.(fault[name])) continue
    throw new Refusal(422, 'invalid', `${name} is not known or not allowed here`, name)
  }
  return fault as Fault
}

function whole(least: number, most: number) {
  return (value: unknown) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

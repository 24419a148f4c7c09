import { Refusal } from '../json-http.ts'

const modes = ['slow', 'down', 'refuse', 'garbage', 'rate_limit', 'lose_reply', 'hang'] as const

export type Fault = {
  mode: (typeof modes)[number] | 'refuse_values'
  delay_ms?: number
  status?: number
  code?: string
  message?: string
  retry_after?: number | 'date'
  property?: string
  /** Only calls of this method: a rule for one write is not used up by somebody who reads. */
  method?: string
  external_id?: string
  /** Whether a rule that names a unit strikes calendars too that name it among others, or only them. */
  calendar?: true | 'only'
  rate_plan?: string | null
  times?: number
  limit?: number
  window_ms?: number
}

/** A fault that befalls one call. `untilMs` is when it is worth trying again, if the rule says. */
export type Strike = { fault: Fault; untilMs: number }

type Rule = { id: number; fault: Fault; left: number; windowEndsMs: number; count: number }

/** `external_ids` where a call speaks of many units at once. */
type Target = {
  method?: string
  property: string | null
  external_id: string | null
  external_ids?: string[]
}

export type Faults = ReturnType<typeof openFaults>

/** The rules by which the outside world misbehaves. Values can be refused where `refusesValues`. */
export function openFaults({ refusesValues = false } = {}) {
  let rules: Rule[] = []
  let lastId = 0

  return {
    add(body: unknown) {
      const fault = readFault(body, refusesValues)
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
      wear(rule)
      const windowEndsMs = rule.fault.mode === 'rate_limit' ? rule.windowEndsMs : nowMs + windowMs(rule.fault)
      return { fault: rule.fault, untilMs: windowEndsMs }
    },

    /** Says of each value of one call whether it is refused; a rule wears by one call, however many values fit. */
    valueRefusals(property: string) {
      const fitting = rules.filter(({ fault }) => refuses(fault, property))
      const used = new Set<Rule>()
      return (value: { external_id: string; rate_plan?: string | null }) => {
        const rule = fitting.find(({ fault }) => refusesValue(fault, value))
        if (!rule) return undefined
        if (!used.has(rule)) wear(rule)
        used.add(rule)
        const { code = 'refused', message = 'refused, as it was told to' } = rule.fault
        return { code, message }
      }
    },
  }

  function wear(rule: Rule) {
    rule.left -= 1
    if (rule.left <= 0) rules = rules.filter((other) => other !== rule)
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

function matches({ mode, method, property, external_id, calendar }: Fault, target: Target) {
  if (mode === 'refuse_values') return false
  if (method !== undefined && method !== target.method) return false
  if (property !== undefined && property !== target.property) return false
  if (target.external_ids === undefined)
    return calendar !== 'only' && (external_id === undefined || external_id === target.external_id)
  return external_id === undefined || (!!calendar && target.external_ids.includes(external_id))
}

function refuses({ mode, property }: Fault, asked: string) {
  return mode === 'refuse_values' && (property === undefined || property === asked)
}

function refusesValue(
  { external_id, rate_plan }: Fault,
  value: { external_id: string; rate_plan?: string | null },
) {
  return (
    (external_id === undefined || external_id === value.external_id) &&
    (rate_plan === undefined || rate_plan === value.rate_plan)
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

type Members = Record<string, (value: unknown) => boolean>

const members: Members = {
  mode: (value) => modes.some((mode) => mode === value),
  delay_ms: whole(0, 3_600_000),
  status: whole(400, 599),
  code: (value) => typeof value === 'string',
  retry_after: (value) => value === 'date' || whole(0, 86_400)(value),
  method: (value) => typeof value === 'string',
  property: (value) => typeof value === 'string',
  external_id: (value) => typeof value === 'string',
  times: whole(1, 1_000_000),
  limit: whole(0, 1_000_000),
  window_ms: whole(1, 86_400_000),
}

const calendarMembers: Members = {
  ...members,
  mode: (value) => value === 'refuse_values' || members['mode']?.(value) === true,
  message: (value) => typeof value === 'string',
  calendar: (value) => value === true || value === 'only',
  rate_plan: (value) => value === null || typeof value === 'string',
}

function readFault(body: unknown, refusesValues: boolean): Fault {
  const known = refusesValues ? calendarMembers : members
  if (typeof body !== 'object' || body === null) throw new Refusal(422, 'invalid', 'a fault is an object')
  const fault = { ...body } as Record<string, unknown>
  for (const name of new Set(['mode', ...Object.keys(fault)])) {
    if (Object.hasOwn(known, name) && known[name]?.(fault[name])) continue
    throw new Refusal(422, 'invalid', `${name} is not known or not allowed here`, name)
  }
  return fault as Fault
}

function whole(least: number, most: number) {
  return (value: unknown) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

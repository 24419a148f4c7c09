import { HttpError } from './request.ts'

const modes = ['slow', 'down', 'refuse', 'garbage', 'rate_limit', 'lose_reply', 'hang'] as const

export type Fault = {
  mode: (typeof modes)[number] | 'refuse_values'
  delay_ms?: number
  status?: number
  code?: string
  message?: string
  retry_after?: number | 'date'
  property?: string
  /** Only calls of this method, so that reads do not use up a rule for a write. */
  method?: string
  external_id?: string
  /** A rule with an `external_id` also matches calendars that name the unit (true), or only them (`only`). */
  calendar?: true | 'only'
  rate_plan?: string | null
  times?: number
  limit?: number
  window_ms?: number
}

/** The fault of one call. `untilMs` is when a retry can succeed; `cleared` ends the delay of a rule that is removed. */
export type FaultMatch = { fault: Fault; untilMs: number; cleared: AbortSignal }

type Rule = {
  id: number
  fault: Fault
  left: number
  windowEndsMs: number
  count: number
  clearing: AbortController
}

/** `external_ids` when a call names many units. */
type CallDescription = {
  method?: string
  property: string | null
  external_id: string | null
  external_ids?: string[]
}

export type Faults = ReturnType<typeof openFaults>

/** The rules of faults. Only a vendor with `refusesValues` accepts the mode `refuse_values`. */
export function openFaults({ refusesValues = false } = {}) {
  /** Also rules that were used as often as they may be: calls may still be delayed by them. */
  let rules: Rule[] = []
  let lastId = 0
  const usableRules = () => rules.filter(({ left }) => left > 0)

  return {
    add(body: unknown) {
      const fault = readFault(body, refusesValues)
      lastId += 1
      const left = fault.times ?? Infinity
      const rule = { id: lastId, fault, left, windowEndsMs: 0, count: 0, clearing: new AbortController() }
      rules.push(rule)
      return describe(rule)
    },

    list: () => usableRules().map(describe),

    /** Removes the rules of a property, or all. The calls that they delay go on at once. */
    clear(property: string | null) {
      const isCleared = ({ fault }: Rule) => property === null || fault.property === property
      for (const rule of rules.filter(isCleared)) rule.clearing.abort()
      rules = rules.filter((rule) => !isCleared(rule))
    },

    /** The first rule that matches a call. A rule matches at most `times` times. */
    match(call: CallDescription, nowMs = Date.now()): FaultMatch | undefined {
      const rule = usableRules().find((rule) => matchesFault(rule.fault, call) && !withinLimit(rule, nowMs))
      if (!rule) return undefined
      rule.left -= 1
      const windowEndsMs = rule.fault.mode === 'rate_limit' ? rule.windowEndsMs : nowMs + windowMs(rule.fault)
      return { fault: rule.fault, untilMs: windowEndsMs, cleared: rule.clearing.signal }
    },

    /** Returns the refusal of each value of one call. A rule counts one use for a call, however many values match. */
    valueRefusals(property: string) {
      const candidates = usableRules().filter(({ fault }) => refusesValuesOf(fault, property))
      const used = new Set<Rule>()
      return (value: { external_id: string; rate_plan?: string | null }) => {
        const rule = candidates.find(({ fault }) => refusesValue(fault, value))
        if (!rule) return undefined
        if (!used.has(rule)) rule.left -= 1
        used.add(rule)
        const { code = 'refused', message = 'refused by a fault rule' } = rule.fault
        return { code, message }
      }
    },
  }
}

/** The value of a `retry-after` header, as whole seconds rounded up or as a date. */
export function retryAfter({ fault, untilMs }: FaultMatch): string | undefined {
  if (typeof fault.retry_after === 'number') return String(fault.retry_after)
  if (fault.retry_after === 'date') return new Date(Math.ceil(untilMs / 1000) * 1000).toUTCString()
  if (fault.mode !== 'rate_limit') return undefined
  return String(Math.max(1, Math.ceil((untilMs - Date.now()) / 1000)))
}

function describe({ id, fault, left }: Rule) {
  return { id, ...fault, ...(left === Infinity ? {} : { left }) }
}

function matchesFault({ mode, method, property, external_id, calendar }: Fault, call: CallDescription) {
  if (mode === 'refuse_values') return false
  if (method !== undefined && method !== call.method) return false
  if (property !== undefined && property !== call.property) return false
  if (call.external_ids === undefined)
    return calendar !== 'only' && (external_id === undefined || external_id === call.external_id)
  return external_id === undefined || (!!calendar && call.external_ids.includes(external_id))
}

function refusesValuesOf(fault: Fault, property: string) {
  return fault.mode === 'refuse_values' && (fault.property === undefined || fault.property === property)
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

/** Counts the call, and returns true while it is within the rate limit. */
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
  delay_ms: integerBetween(0, 3_600_000),
  status: integerBetween(400, 599),
  code: (value) => typeof value === 'string',
  retry_after: (value) => value === 'date' || integerBetween(0, 86_400)(value),
  method: (value) => typeof value === 'string',
  property: (value) => typeof value === 'string',
  external_id: (value) => typeof value === 'string',
  times: integerBetween(1, 1_000_000),
  limit: integerBetween(0, 1_000_000),
  window_ms: integerBetween(1, 86_400_000),
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
  if (typeof body !== 'object' || body === null)
    throw new HttpError(422, 'invalid', 'a fault must be an object')
  const fault = { ...body } as Record<string, unknown>
  for (const name of new Set(['mode', ...Object.keys(fault)])) {
    if (Object.hasOwn(known, name) && known[name]?.(fault[name])) continue
    throw new HttpError(422, 'invalid', `${name} is unknown, or its value is invalid`, name)
  }
  return fault as Fault
}

function integerBetween(min: number, max: number) {
  return (value: unknown) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max
}

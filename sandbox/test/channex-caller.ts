import assert from 'node:assert/strict'
import { callerOf } from './pms-caller.ts'

/** A property on Kiritimati, 14 hours ahead of UTC, with two room types and three rate plans. */
const exampleProperty = {
  title: 'Harbour House',
  currency: 'EUR',
  timezone: 'Pacific/Kiritimati',
  room_types: [
    {
      title: 'Double',
      count_of_rooms: 3,
      rate_plans: [{ title: 'Flexible', options: [{ occupancy: 2, is_primary: true, rate: 9000 }] }],
    },
    {
      title: 'Family',
      occ_adults: 3,
      rate_plans: [
        {
          title: 'Per guest',
          sell_mode: 'per_person',
          options: [1, 2, 3].map((occupancy) => ({ occupancy, is_primary: occupancy === 2, rate: 0 })),
        },
        { title: 'Family flexible' },
      ],
    },
  ],
}

export type Shown = { id: string; type: string; attributes: Record<string, unknown> }

export type PropertyIds = { property: string; double: string; family: string; flexible: string }

type Value = Record<string, unknown>

/** Calls the API and the control routes of the running Channex. */
export function channexCaller(url: () => string) {
  const call = callerOf(url)
  const api = (method: string, path: string, body?: unknown, key = 'any') =>
    call(method, `/api/v1${path}`, body, { 'user-api-key': key })
  const control = (method: string, path: string, body?: unknown) => call(method, `/_control/${path}`, body)

  return {
    call,
    api,
    control,

    /** Seeds a property and returns the ids of its records. */
    async seedProperty(given: object = exampleProperty): Promise<PropertyIds> {
      const { properties } = (await control('POST', 'seed', { properties: [given] })).body
      const [{ id: property, room_types: rooms }] = properties
      return {
        property,
        double: rooms[0].id,
        family: rooms[1]?.id,
        flexible: rooms[0].rate_plans[0].id,
      }
    },

    async now() {
      return Date.parse((await control('GET', 'clock')).body.now)
    },

    async advanceMinutes(minutes: number) {
      const { ahead_ms: aheadMs } = (await control('GET', 'clock')).body
      return control('PUT', 'clock', { ahead_ms: aheadMs + minutes * 60_000 })
    },
  }
}

/** The date a number of days from today on Kiritimati. */
export function propertyDate(nowMs: number, days: number) {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format(
    nowMs + days * 86_400_000,
  )
}

/** Sends values for the double room and its flexible plan, and reads them back. */
export function calendarCaller(
  { api }: Pick<ReturnType<typeof channexCaller>, 'api'>,
  current: () => { ids: PropertyIds; day: (days: number) => string },
) {
  type Kind = 'availability' | 'restrictions'

  async function push(kind: Kind, ...values: Value[]) {
    const { ids } = current()
    const of = kind === 'availability' ? { room_type_id: ids.double } : { rate_plan_id: ids.flexible }
    return api('POST', `/${kind}`, {
      values: values.map((value) => ({ property_id: ids.property, ...of, ...value })),
    })
  }

  return {
    push,

    async accepted(kind: Kind, ...values: Value[]) {
      const { status, body } = await push(kind, ...values)
      assert.deepEqual([status, body.meta], [200, { message: 'Success' }])
      assert.deepEqual(
        body.data.map(({ type }: Shown) => type),
        ['task'],
      )
    },

    async warningsOf(kind: Kind, ...values: Value[]): Promise<Record<string, string[]>[]> {
      const { status, body } = await push(kind, ...values)
      assert.deepEqual([status, body.data, body.meta.message], [200, [], 'Success'])
      return body.meta.warnings.map(({ warning }: { warning: Record<string, string[]> }) => warning)
    },

    /** The values of the nights from one day to another, without their dates. */
    async readBack(names: string, from: number, to: number, plan?: string): Promise<unknown[]> {
      const { ids, day } = current()
      const dates = `filter[date][gte]=${day(from)}&filter[date][lte]=${day(to)}`
      const span = `filter[property_id]=${ids.property}&${dates}`
      const rooms = names === 'availability'
      const path = rooms ? `/availability?${span}` : `/restrictions?${span}&filter[restrictions]=${names}`
      const { data } = (await api('GET', path)).body
      return Object.values(data[plan ?? (rooms ? ids.double : ids.flexible)])
    },
  }
}

// The least that answers like the product: stored JSON by pg, without tokens, limits, validation, history or jobs.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import pg from 'pg'
import { bookInProduct, writeInProduct } from './bare-writes.ts'
import { nestedUnit, unitsAsColumns, unitsAsJson } from './bare-lists.ts'

/** Creates the tables, filled with the records of the product. Run it as their owner. */
export const bareTables = `
  create schema bare;
  create table bare.spaces as select id, org_id, created_at, json from spaces;
  create table bare.units as select id, org_id, space_id, name, created_at, json from units;
  create table bare.bookings as select id, unit_id, nights, json from bookings;
  create table bare.messages (id uuid primary key, org_id uuid, body text, at timestamptz default now());
  alter table bare.spaces add primary key (id);
  alter table bare.units add primary key (id);
  alter table bare.bookings add primary key (id);
  create index on bare.units (org_id, created_at, id);
  create index on bare.bookings (unit_id, lower(nights));
  analyze bare.spaces, bare.units, bare.bookings`

interface BareRequest {
  readonly id: string
  readonly body: Record<string, unknown>
}

type Handler = (request: BareRequest) => Promise<string>

const orgId = process.env['ORG_ID']!
/** Statements that PostgreSQL plans each time. */
const isUnnamed = process.env['UNNAMED'] !== undefined
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const query = async (name: string, text: string, values: unknown[] = []) =>
  (await pool.query<Record<string, string>>({ ...(isUnnamed ? {} : { name }), text, values })).rows

const withSpace = ({ json, space }: Record<string, string>) => `${json!.slice(0, -1)},"space":${space}}`
const fromUnits =
  'from bare.units unit join bare.spaces space on space.id = unit.space_id where unit.org_id = $1'

const handlers: Record<string, Handler> = {
  'GET /health': async () => {
    await query('health', 'select 1')
    return '{"status":"healthy"}'
  },
  'GET /units/:id': async ({ id }) => {
    const [row] = await query('unit', `select unit.json, space.json as space ${fromUnits} and unit.id = $2`, [
      orgId,
      id,
    ])
    return `{"unit":${withSpace(row!)}}`
  },
  'GET /units': async () => {
    const order = 'order by unit.created_at, unit.id limit 21'
    const found = await query('units', `select unit.json, space.json as space ${fromUnits} ${order}`, [orgId])
    return `{"units":[${found.slice(0, 20).map(withSpace).join(',')}]}`
  },
  'GET /columns': async () => {
    const found = await query('columns', unitsAsColumns, [orgId])
    return JSON.stringify({ units: found.map(nestedUnit) })
  },
  'GET /built': async () => {
    const [row] = await query('built', unitsAsJson, [orgId])
    return row!['json']!
  },
  'POST /spaces': async ({ body }) => {
    const json = JSON.stringify({ id: randomUUID(), ...body })
    await query('add-space', 'insert into bare.spaces values ($1, $2, now(), $3)', [
      randomUUID(),
      orgId,
      json,
    ])
    return `{"space":${json}}`
  },
  'POST /units': async ({ body }) => {
    const id = randomUUID()
    const json = JSON.stringify({ id, ...body })
    const [row] = await query(
      'add-unit',
      `insert into bare.units select $1, $2, id, $3, now(), $4 from bare.spaces where id = $5 returning
        (select json from bare.spaces where id = $5) as space`,
      [id, orgId, body['name'], json, body['space_id']],
    )
    return `{"unit":${withSpace({ json, space: row!['space']! })}}`
  },
  'PATCH /units/:id': async ({ id, body }) => {
    const [row] = await query(
      'price',
      `update bare.units set json = (json::jsonb || $2::jsonb)::text where id = $1 returning json`,
      [id, JSON.stringify(body)],
    )
    return `{"unit":${row!['json']}}`
  },
  'POST /bookings': async ({ body }) => {
    const { unitId, checkIn, checkOut } = body
    const nights = `[${String(checkIn)},${String(checkOut)})`
    const client = await pool.connect()
    const run = (name: string, text: string, values: unknown[]) => client.query({ name, text, values })
    try {
      await client.query('begin')
      await run('lock', 'select 1 from bare.units where id = $1 for update', [unitId])
      await run('taken', 'select count(*) from bare.bookings where unit_id = $1 and nights && $2', [
        unitId,
        nights,
      ])
      const json = JSON.stringify({ id: randomUUID(), ...body })
      await run('book', 'insert into bare.bookings values ($1, $2, $3, $4)', [
        randomUUID(),
        unitId,
        nights,
        json,
      ])
      await client.query('commit')
      return `{"booking":${json}}`
    } finally {
      client.release()
    }
  },
  // The same in the tables of the product.
  'POST /stored-spaces': async ({ body }) => `{"space":${await writeInProduct(pool, orgId, 'space', body)}}`,
  'POST /stored-units': async ({ body }) => `{"unit":${await writeInProduct(pool, orgId, 'unit', body)}}`,
  'PATCH /stored-units/:id': async ({ id, body }) =>
    `{"unit":${await writeInProduct(pool, orgId, 'price', { ...body, id })}}`,
  'POST /stored-messages': async ({ body }) =>
    `{"message":${await writeInProduct(pool, orgId, 'message', body)}}`,
  'POST /guarded-bookings': async ({ body }) => `{"booking":${await bookInProduct(pool, orgId, body)}}`,
  'POST /messages': async ({ body }) => {
    await query('message', 'insert into bare.messages values ($1, $2, $3)', [
      randomUUID(),
      orgId,
      JSON.stringify(body),
    ])
    return '{"received":true}'
  },
}

async function serveWithFastify(): Promise<string> {
  const app = Fastify()
  for (const [route, handle] of Object.entries(handlers)) {
    const [method = '', url = ''] = route.split(' ')
    app.route<{ Params: { id: string }; Body: Record<string, unknown> }>({
      ...{ method, url },
      handler: async ({ params, body }, reply) => {
        const text = await handle({ id: params.id, body })
        return reply.type('application/json; charset=utf-8').send(text)
      },
    })
  }
  return await app.listen({ host: '127.0.0.1', port: 0 })
}

async function serveWithHttp(): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [path = ''] = request.url!.split('?')
    const [, collection, id = ''] = path.split('/')
    const handle = handlers[`${request.method} /${collection}${id && '/:id'}`]!
    let text = ''
    if (request.method !== 'GET') for await (const part of request) text += String(part)
    const body = await handle({ id, body: text ? (JSON.parse(text) as Record<string, unknown>) : {} })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

if (import.meta.main) {
  const url = await (process.argv[2] === 'http' ? serveWithHttp() : serveWithFastify())
  process.send!({ url })
}

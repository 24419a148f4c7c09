import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { mkdirSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { startNodeProcess, type NodeProcess } from '../server/test/node-process.ts'
import { spaceColumns, unitColumns } from './bare-lists.ts'
import type { BenchWorld } from './bench-world.ts'
import type { Call } from './ceiling-operations.ts'

/** What `peers.ts` measures beside the product: each is installed by npm into a folder of its own, and never a dependency. */

export type Fields = Readonly<Record<string, unknown>>

export interface Peer {
  /** Exact versions; of Directus and Strapi the newest of which npm had all packages. */
  readonly packages: readonly string[]
  readonly packageJson?: object
  readonly headers?: Record<string, string>
  /** Starts it in the folder into which it is installed. */
  start(folder: string): Promise<NodeProcess>
  list(): Call
  unit(id: string): Call
  /** The units of an answer under the names of the product. */
  unitsOf(body: any): Fields[] // eslint-disable-line @typescript-eslint/no-explicit-any
}

/** Plain tables with the fields of the product's records, and the indexes of its list. Run it as their owner. */
export const peerTables = `
  create schema peers;
  create schema directus;
  create schema strapi;
  create table peers.spaces as select ${spaceColumns.join(', ')} from spaces;
  create table peers.units as select ${unitColumns} from units u;
  alter table peers.spaces add primary key (id);
  alter table peers.units add primary key (id), add foreign key (space_id) references peers.spaces;
  create index on peers.units (org_id, created_at, id);
  create index on peers.units (space_id);
  analyze peers.spaces, peers.units`

/** Installs packages. Their scripts are not run: they download programs from elsewhere, or compile. */
export async function install(folder: string, { packages, packageJson = {} }: Peer): Promise<void> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...packageJson }))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--save-exact']
  await run(folder, 'npm', ['install', '--prefix', folder, ...options, ...packages], {
    ...(process.env as Record<string, string>),
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  })
}

/** The peers, which read the same records as the sample of the product has. */
export function peersOf({ world, owner }: BenchWorld, sample: Fields): Record<string, Peer> {
  const DATABASE_URL = world.databaseUrl
  const orgId = world.home.id
  const { space, ...unit } = sample as { space: Fields }
  const serve = (folder: string, program: string, env: Record<string, string>) => {
    writeFileSync(join(folder, 'serve.mjs'), program)
    const own = { NODE_ENV: 'production', NODE_COMPILE_CACHE: join(folder, '.cache') }
    return startNodeProcess({ file: 'serve.mjs', root: folder, env: { ...own, ...env } })
  }

  const selection = `${aliases(unit)} space: spaceBySpaceId { ${aliases(space)} }`
  const listOfUnits = `query ($org: UUID!) { allUnits(condition: { orgId: $org }, orderBy: [CREATED_AT_ASC, PRIMARY_KEY_ASC], first: 20) {
    nodes { ${selection} } } }`
  const oneUnit = `query ($id: UUID!) { unitByRowId(rowId: $id) { ${selection} } }`
  const graphql = (query: string, variables: Fields): Call => ({
    ...{ method: 'POST', path: '/graphql', body: { query, variables } },
  })

  const directusEnv = {
    ...{ DB_CLIENT: 'pg', DB_CONNECTION_STRING: DATABASE_URL, DB_SEARCH_PATH: 'array:directus,peers' },
    ...{ DB_POOL__MIN: '0', DB_POOL__MAX: '10', SECRET: 'a secret of 32 characters or more' },
    ...{ ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'bench-password', ADMIN_TOKEN: 'bench-token' },
    ...{ TELEMETRY: 'false', SERVE_APP: 'false', WEBSOCKETS_ENABLED: 'false', LOG_LEVEL: 'error' },
    // It would refuse requests while its event loop is busy.
    PRESSURE_LIMITER_ENABLED: 'false',
  }
  const directusFields = 'alias[space]=space_id&fields=*,space.*'

  return {
    'PostGraphile 5.1.5': {
      packages: ['postgraphile@5.1.5'],
      start: (folder) => serve(folder, postgraphileProgram, { DATABASE_URL }),
      list: () => graphql(listOfUnits, { org: orgId }),
      unit: (id) => graphql(oneUnit, { id }),
      unitsOf: ({ data }) => (data.allUnits ? data.allUnits.nodes : [data.unitByRowId]),
    },
    'Directus 12.4.0': {
      packages: ['directus@12.4.0'],
      // The version that it names has to be compiled, and cannot be for Node 24; only scripts in its flows use it.
      packageJson: { overrides: { 'isolated-vm': '7.0.1' } },
      headers: { authorization: 'Bearer bench-token' },
      async start(folder) {
        const cli = join(folder, 'node_modules/directus/cli.js')
        await run(folder, process.execPath, [cli, 'bootstrap'], { NODE_ENV: 'production', ...directusEnv })
        return await serve(folder, directusProgram, directusEnv)
      },
      list: () => get(`/items/units?filter[org_id]=${orgId}&sort=created_at,id&limit=20&${directusFields}`),
      unit: (id) => get(`/items/units/${id}?${directusFields}`),
      unitsOf: ({ data }) => [data].flat(),
    },
    'Strapi 5.54.0': {
      packages: ['@strapi/strapi@5.54.0', 'pg@8.23.1'],
      headers: { authorization: 'Bearer bench-token' },
      async start(folder) {
        writeStrapiProject(folder, DATABASE_URL, space, unit)
        const strapi = await serve(folder, strapiProgram, { STRAPI_TELEMETRY_DISABLED: 'true' })
        await owner.pipelined({ orgId: null }, [{ text: fillStrapi(space, unit) }])
        return strapi
      },
      list: () =>
        get(
          `/api/units?filters[org_id]=${orgId}&sort=createdAt,documentId&pagination[limit]=20&pagination[withCount]=false&populate=space`,
        ),
      unit: (id) => get(`/api/units/${id}?populate=space`),
      unitsOf: ({ data }) => [data].flat().map(fromStrapi),
    },
  }
}

const get = (path: string): Call => ({ method: 'GET', path: encodeURI(path) })

async function run(cwd: string, program: string, args: string[], env: Record<string, string>) {
  try {
    await promisify(execFile)(program, args, { cwd, env: { PATH: process.env['PATH'], ...env } })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${stdout}${stderr}`.trim().split('\n').slice(0, 4).join('; '), { cause: error })
  }
}

const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const aliases = (record: Fields) =>
  Object.keys(record)
    .map((name) => `${name}: ${name === 'id' ? 'rowId' : camelCase(name)}`)
    .join(' ')

const postgraphileProgram = `
  import { createServer } from 'node:http'
  import { postgraphile } from 'postgraphile'
  import { makePgService } from 'postgraphile/adaptors/pg'
  import { grafserv } from 'postgraphile/grafserv/node'
  import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
  const connectionString = process.env.DATABASE_URL
  const pgl = postgraphile({
    extends: [PostGraphileAmberPreset],
    pgServices: [makePgService({ connectionString, schemas: ['peers'], poolConfig: { max: 10 } })],
    grafast: { explain: false },
    grafserv: { graphiql: false, watch: false },
  })
  const server = createServer()
  await pgl.createServ(grafserv).addTo(server)
  server.listen(0, '127.0.0.1', () => process.send({ url: 'http://127.0.0.1:' + server.address().port }))`

const directusProgram = `
  import { createServer } from '@directus/api/server'
  const server = await createServer()
  server.listen(0, '127.0.0.1', () => process.send({ url: 'http://127.0.0.1:' + server.address().port }))`

const strapiProgram = `
  import { createRequire } from 'node:module'
  const { createStrapi } = createRequire(import.meta.url)('@strapi/strapi')
  const appDir = import.meta.dirname
  const strapi = await createStrapi({ appDir, distDir: appDir }).start()
  const accessKey = strapi.service('admin::api-token').hash('bench-token')
  await strapi.db.query('admin::api-token').create({ data: { name: 'bench', type: 'full-access', accessKey } })
  process.send({ url: 'http://127.0.0.1:' + strapi.server.httpServer.address().port })`

/** Strapi names these itself: `id` is its `documentId`. */
const namedByStrapi = new Set(['id', 'space_id', 'created_at', 'updated_at'])
const ownNames = (record: Fields) => Object.keys(record).filter((name) => !namedByStrapi.has(name))

/** A project of two types without drafts, without a log line for each request. */
function writeStrapiProject(folder: string, databaseUrl: string, space: Fields, unit: Fields) {
  const write = (path: string, content: string | object) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const secret = 'a secret of 32 characters or more'
  const connection = { connectionString: databaseUrl, schema: 'strapi' }
  write('config/database.json', {
    connection: { client: 'postgres', connection, pool: { min: 0, max: 10 } },
  })
  write('config/server.json', { host: '127.0.0.1', port: 0, app: { keys: [secret] } })
  write('config/admin.json', {
    ...{ serveAdminPanel: false, auth: { secret }, apiToken: { salt: secret } },
    ...{ transfer: { token: { salt: secret } }, secrets: { encryptionKey: secret } },
  })
  const middlewares = ['errors', 'security', 'cors', 'query', 'body', 'session', 'favicon', 'public']
  write(
    'config/middlewares.json',
    middlewares.map((name) => `strapi::${name}`),
  )
  mkdirSync(join(folder, 'public/uploads'), { recursive: true })
  for (const [name, record] of Object.entries({ space, unit })) {
    const uid = `api::${name}.${name}`
    const create = (part: string) =>
      `module.exports = require('@strapi/strapi').factories.createCore${part}('${uid}')`
    write(`src/api/${name}/controllers/${name}.js`, create('Controller'))
    write(`src/api/${name}/services/${name}.js`, create('Service'))
    write(`src/api/${name}/routes/${name}.js`, create('Router'))
    const relation = {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::space.space',
      useJoinTable: false,
    }
    const own = ownNames(record).map((field) => [field, { type: strapiType(field, record[field]) }])
    write(`src/api/${name}/content-types/${name}/schema.json`, {
      ...{ kind: 'collectionType', collectionName: `${name}s`, options: { draftAndPublish: false } },
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      attributes: { ...Object.fromEntries(own), ...(name === 'unit' && { space: relation }) },
    })
  }
}

function strapiType(name: string, value: unknown) {
  if (name.endsWith('_cents')) return 'biginteger'
  if (typeof value === 'number') return name === 'bathrooms' ? 'decimal' : 'integer'
  return Array.isArray(value) ? 'json' : typeof value === 'boolean' ? 'boolean' : 'text'
}

/** Its tables are its own; they are filled with the records of the others, and have the index of the list. */
function fillStrapi(space: Fields, unit: Fields) {
  const insert = (table: string, names: string[], more: string, values: string, from: string) =>
    `insert into strapi.${table} (document_id, created_at, updated_at, published_at, ${names.join(', ')}${more})
      select r.id, r.created_at, r.updated_at, r.created_at, ${names.map((name) => `r.${name}`).join(', ')}${values} from peers.${table} r ${from};`
  return `set local time zone 'UTC';
    ${insert('spaces', ownNames(space), '', '', '')}
    ${insert('units', ownNames(unit), ', space_id', ', s.id', 'join strapi.spaces s on s.document_id = r.space_id::text order by r.id')}
    create index on strapi.units (org_id, created_at, document_id);
    analyze strapi.spaces, strapi.units`
}

function fromStrapi({ documentId, createdAt, updatedAt, space, ...own }: Fields): Fields {
  const record = { ...own, id: documentId, created_at: createdAt, updated_at: updatedAt }
  if (!space) return record
  const nested = fromStrapi(space as Fields)
  return { ...record, space: nested, space_id: nested['id'] }
}

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as layers from './architecture/layers.ts'
import type { Rule } from './architecture/layers.ts'
import * as leftovers from './architecture/leftovers.ts'
import * as conventions from './architecture/conventions.ts'
import { readTree, sourceOf } from './architecture/source-tree.ts'
import { tablesHaveOneWriter } from './architecture/table-writers.ts'

/** Each rule of the architecture: the repository keeps it, and a planted file that breaks it is found. */

const tree = readTree()
const feature = 'server/src/features'

function keeps(rule: Rule, ...planted: Record<string, string>[]) {
  test('the repository follows the rule', () => assert.deepEqual(rule(tree), []))
  for (const files of planted)
    test(`detects ${Object.keys(files).at(-1)}`, () => {
      const sources = Object.entries(files).map(([path, text]) => sourceOf(path, text))
      assert.equal(rule(sources).length, 1, rule(sources).join('\n'))
    })
}

test('the checked files exist', () => {
  const paths = new Set(tree.map(({ path }) => path))
  for (const path of ['server/src/app.ts', 'console/src/app.tsx', 'bin/vacancy.mjs', 'package-lock.json'])
    assert.ok(paths.has(path), path)
  const app = tree.find(({ path }) => path === 'server/src/app.ts')!
  assert.ok(app.imports.includes('server/src/features/inventory/units/routes.ts'))
  assert.deepEqual([...app.packages], ['fastify'])
})

suite('imports go down', () => {
  keeps(
    layers.importsGoDown,
    { 'server/src/db/scope.ts': `import { list } from '../http/replies.ts'` },
    { 'server/src/http/replies.ts': `import type { Unit } from '#features/inventory/units/unit.ts'` },
    { [`${feature}/inventory/units/unit.ts`]: `export const late = () => import('#resources.ts')` },
    { 'server/src/errors.ts': `export type Row = import('./db/connect.ts').Statement` },
    { 'server/src/start/ports.ts': `import { x } from '../command-line/token.ts'` },
  )
})

suite('areas of features import from those below, and from what all may call', () => {
  keeps(
    layers.areasGoDown,
    { [`${feature}/tenancy/session/routes.ts`]: `import { x } from '#features/inventory/units/unit.ts'` },
    { [`${feature}/inventory/units/queries.ts`]: `import { x } from '#features/distribution/sync/push.ts'` },
    { [`${feature}/messaging/events/event.ts`]: `import { x } from '#features/inventory/units/unit.ts'` },
  )
})

suite(
  'http, queue and integrations do not import each other, and integrations import the ground only',
  () => {
    keeps(
      layers.siblingsAreIndependent,
      { 'server/src/http/replies.ts': `import { job } from '#queue/job.ts'` },
      { 'server/src/queue/dispatcher.ts': `import type { Pms } from '#integrations/pms/pms.ts'` },
      { 'server/src/integrations/pms/pms.ts': `import { rows } from '#db/scope.ts'` },
      { 'server/src/integrations/pms/pms.ts': `import { x } from '../identity/identity.ts'` },
    )
  },
)

suite('routes are private, implementations are named once', () => {
  keeps(
    layers.entryFilesArePrivate,
    {
      [`${feature}/messaging/webhooks/send.ts`]: `import { unitRoutes } from '#features/inventory/units/routes.ts'`,
    },
    { [`${feature}/distribution/sync/push.ts`]: `import { x } from '#integrations/pms/directory.ts'` },
  )
})

suite('no file imports itself through others', () => {
  keeps(layers.noFileCycles, {
    'client/src/a.ts': `import type { B } from './b.ts'`,
    'client/src/b.ts': `export const c = import('./a.ts')`,
  })
})

suite('no module depends on itself through others', () => {
  keeps(layers.noModuleCycles, {
    [`${feature}/inventory/units/unit.ts`]: `import type { A } from '../spaces/space.ts'`,
    [`${feature}/inventory/spaces/queries.ts`]: `import type { B } from '../units/queries.ts'`,
  })
})

suite('a package has one importer', () => {
  keeps(
    conventions.packagesHaveOneImporter,
    { [`${feature}/inventory/units/queries.ts`]: `import pg from 'pg'` },
    { 'server/src/http/rate-limits.ts': `import { Redis } from 'ioredis'` },
    { [`${feature}/tenancy/session/recognize.ts`]: `import { jwtVerify } from 'jose'` },
    { [`${feature}/inventory/units/unit.ts`]: `import type { FastifyRequest } from 'fastify'` },
    { 'server/src/integrations/payments/payments.ts': `import { request } from 'undici'` },
    { 'server/src/schema/fields.ts': `import ipaddr from 'ipaddr.js'` },
    { 'server/src/app.ts': `import cors from '@fastify/cors'\nimport sql from 'sql-template-tag'` },
  )
})

suite('only entrances read the environment', () => {
  keeps(conventions.environmentIsHandedIn, {
    'server/src/config/config.ts': `const port = process.env['PORT']`,
  })
})

suite('SQL is only in the queries and use cases of features, in db and in migrations', () => {
  keeps(
    conventions.sqlHasItsPlace,
    { [`${feature}/inventory/units/routes.ts`]: 'const all = sql`select 1`' },
    { 'server/src/http/response-headers.ts': `const all = 'select id from units'` },
    { 'server/src/queue/queue.ts': 'const one = (id: string) => `delete from jobs where id = ${id}`' },
  )
})

suite('files with SQL do not import HTTP', () => {
  keeps(conventions.sqlKnowsNoHttp, {
    'server/src/http/paging.ts': '',
    [`${feature}/inventory/units/queries.ts`]: `import { x } from '#http/paging.ts'\nconst all = sql\`select 1\``,
  })
})

suite('a table is written by one feature', () => {
  keeps(tablesHaveOneWriter, {
    [`${feature}/inventory/units/queries.ts`]: 'sql`update spaces set name = ${name}`',
    [`${feature}/inventory/spaces/queries.ts`]: 'sql`insert into spaces (name) values (${name})`',
  })
})

suite('exports have names', () => {
  keeps(
    conventions.exportsHaveNames,
    { 'server/src/process/version.ts': `export default '1'` },
    { 'client/src/problem.ts': `export default function problem() {}` },
  )
})

suite('no re-exports', () => {
  keeps(conventions.noBarrels, { [`${feature}/inventory/units/all.ts`]: `export { Unit } from './unit.ts'` })
})

suite('every test runs', () => {
  keeps(
    conventions.everyTestRuns,
    { 'server/test/a.test.ts': `test.only('one', () => {})` },
    { 'server/test/a.test.ts': `suite.skip('one', () => {})` },
    { 'server/test/a.test.ts': `test('one', { todo: true }, () => {})` },
    { 'server/test/a.test.ts': `test('one', { skip: 'fails sometimes' }, () => {})` },
  )
})

suite(`no file has more than ${conventions.maxFileLines} lines`, () => {
  keeps(conventions.filesAreShort, { 'server/src/long.ts': '//\n'.repeat(conventions.maxFileLines + 1) })
})

suite('names of files and folders are specific', () => {
  keeps(
    conventions.namesSayWhatIsInside,
    { 'server/src/http/utils.ts': '' },
    { 'console/src/pages/index.tsx': '' },
    { 'server/src/shared/money.ts': '' },
    { 'server/test/helpers.test.ts': '' },
  )
})

suite('workspaces import only what they may', () => {
  keeps(
    conventions.workspacesHaveWalls,
    {
      'console/src/session/api.tsx': `import { Unit } from '../../server/src/features/inventory/units/unit.ts'`,
    },
    { 'server/src/start/components.ts': `import { startPms } from '../../../sandbox/src/pms/server.ts'` },
    { 'sandbox/src/pms/server.ts': `import { Problem } from '@vacancy/client'` },
    { 'client/src/client.ts': `import { x } from '../../console/src/session/api.tsx'` },
  )
})

suite('imported packages are declared', () => {
  keeps(leftovers.importsAreDeclared, {
    'server/package.json': '{}',
    'server/src/a.ts': `import x from 'left-pad'`,
  })
})

suite('versions are exact', () => {
  keeps(
    leftovers.versionsStandStill,
    { 'server/package.json': '{ "dependencies": { "pg": "^8.0.0" } }' },
    { 'package.json': '{ "optionalDependencies": { "x": "latest" } }' },
  )
})

suite('the lock file has no URLs', () => {
  keeps(leftovers.lockNamesNoAddress, {
    'package-lock.json': '{ "packages": { "x": { "resolved": "https://example.org/x.tgz" } } }',
  })
})

suite('no TODO comments', () => {
  keeps(leftovers.nothingIsPutOff, { 'docs/style.md': 'TODO: write this.' })
})

suite('nothing refers to paths outside of the repository', () => {
  keeps(
    leftovers.nothingNamesAnotherPlace,
    { 'docs/style.md': 'See /home/somebody/notes.' },
    { '.npmrc': 'registry=https://registry.example.org/' },
  )
})

suite('links are valid', () => {
  keeps(leftovers.linksLeadSomewhere, { 'docs/style.md': 'See [the words](words.md).' })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as floors from './architecture/floors.ts'
import type { Rule } from './architecture/floors.ts'
import * as leavings from './architecture/leavings.ts'
import * as manners from './architecture/manners.ts'
import { readTree, sourceOf } from './architecture/source-tree.ts'

/** Each rule of the house: the repository keeps it, and a planted file that breaks it is found. */

const tree = readTree()
const feature = 'server/src/features'

function keeps(rule: Rule, ...planted: Record<string, string>[]) {
  test('the repository keeps it', () => assert.deepEqual(rule(tree), []))
  for (const files of planted)
    test(`${Object.keys(files).at(-1)} would be found`, () => {
      const sources = Object.entries(files).map(([path, text]) => sourceOf(path, text))
      assert.equal(rule(sources).length, 1, rule(sources).join('\n'))
    })
}

test('the files that are judged are there', () => {
  const paths = new Set(tree.map(({ path }) => path))
  for (const path of ['server/src/app.ts', 'console/src/app.tsx', 'bin/vacancy.mjs', 'package-lock.json'])
    assert.ok(paths.has(path), path)
  const app = tree.find(({ path }) => path === 'server/src/app.ts')!
  assert.ok(app.imports.includes('server/src/features/units/routes.ts'))
  assert.deepEqual([...app.packages], ['fastify'])
})

suite('imports go down', () => {
  keeps(
    floors.importsGoDown,
    { 'server/src/db/scope.ts': `import { list } from '../http/replies.ts'` },
    { 'server/src/http/replies.ts': `import type { Unit } from '#features/units/unit.ts'` },
    { [`${feature}/units/unit.ts`]: `export const late = () => import('#resources.ts')` },
    { 'server/src/errors.ts': `export type Row = import('./db/connect.ts').Statement` },
    { 'server/src/start/ports.ts': `import { x } from '../command-line/token.ts'` },
  )
})

suite('http, queue and outside do not know each other, and outside knows only the ground', () => {
  keeps(
    floors.neighboursAreStrangers,
    { 'server/src/http/replies.ts': `import { job } from '#queue/job.ts'` },
    { 'server/src/queue/work.ts': `import type { Pms } from '#outside/pms/pms.ts'` },
    { 'server/src/outside/pms/pms.ts': `import { rows } from '#db/scope.ts'` },
    { 'server/src/outside/pms/pms.ts': `import { x } from '../identity/identity.ts'` },
  )
})

suite('routes and handlers are private, implementations are named once', () => {
  keeps(
    floors.doorsArePrivate,
    { [`${feature}/sync/live.ts`]: `import { unitRoutes } from '../units/routes.ts'` },
    { 'server/src/app.ts': `import { syncJobs } from './features/sync/jobs.ts'` },
    { [`${feature}/sync/live.ts`]: `import { x } from '#outside/pms/directory.ts'` },
  )
})

suite('no file imports itself by a detour', () => {
  keeps(floors.noFileCircles, {
    'client/src/a.ts': `import type { B } from './b.ts'`,
    'client/src/b.ts': `export const c = import('./a.ts')`,
  })
})

suite('no feature, and no other room, depends on itself by a detour', () => {
  keeps(floors.noRoomCircles, {
    [`${feature}/units/unit.ts`]: `import type { A } from '../spaces/space.ts'`,
    [`${feature}/spaces/queries.ts`]: `import type { B } from '../units/queries.ts'`,
  })
})

suite('a package has one importer', () => {
  keeps(
    manners.packagesHaveOneImporter,
    { [`${feature}/units/queries.ts`]: `import pg from 'pg'` },
    { 'server/src/workers.ts': `import { PgBoss } from 'pg-boss'` },
    { 'server/src/http/rate-limits.ts': `import { Redis } from 'ioredis'` },
    { [`${feature}/session/recognize.ts`]: `import { jwtVerify } from 'jose'` },
    { [`${feature}/units/unit.ts`]: `import type { FastifyRequest } from 'fastify'` },
    { 'server/src/outside/payments/payments.ts': `import { request } from 'undici'` },
    { 'server/src/fields.ts': `import ipaddr from 'ipaddr.js'` },
    { 'server/src/app.ts': `import cors from '@fastify/cors'\nimport { sql } from 'kysely'` },
  )
})

suite('only entrances read the environment', () => {
  keeps(manners.environmentIsHandedIn, { 'server/src/config.ts': `const port = process.env['PORT']` })
})

suite('SQL stands in queries.ts or <part>-queries.ts, in db and in migrations', () => {
  keeps(
    manners.sqlHasItsPlace,
    { [`${feature}/units/routes.ts`]: 'const all = sql`select 1`' },
    { [`${feature}/units/unit.ts`]: `const all = 'select id from units'` },
    { 'server/src/queue/queue.ts': 'const one = (id: string) => `delete from jobs where id = ${id}`' },
  )
})

suite('exports have names', () => {
  keeps(
    manners.exportsHaveNames,
    { 'server/src/version.ts': `export default '1'` },
    { 'client/src/problem.ts': `export default function problem() {}` },
  )
})

suite('nobody passes on what others export', () => {
  keeps(manners.noBarrels, { [`${feature}/units/all.ts`]: `export { Unit } from './unit.ts'` })
})

suite('every test runs', () => {
  keeps(
    manners.everyTestRuns,
    { 'server/test/a.test.ts': `test.only('one', () => {})` },
    { 'server/test/a.test.ts': `suite.skip('one', () => {})` },
    { 'server/test/a.test.ts': `test('one', { todo: true }, () => {})` },
    { 'server/test/a.test.ts': `test('one', { skip: 'fails sometimes' }, () => {})` },
  )
})

suite(`no file has more than ${manners.longestFileLines} lines`, () => {
  keeps(manners.filesAreShort, { 'server/src/long.ts': '//\n'.repeat(manners.longestFileLines + 1) })
})

suite('no file or folder is a drawer', () => {
  keeps(
    manners.namesSayWhatIsInside,
    { 'server/src/http/utils.ts': '' },
    { 'console/src/pages/index.tsx': '' },
    { 'server/src/shared/money.ts': '' },
    { 'server/test/helpers.test.ts': '' },
  )
})

suite('workspaces have walls', () => {
  keeps(
    manners.workspacesHaveWalls,
    { 'console/src/api.tsx': `import { Unit } from '../../server/src/features/units/unit.ts'` },
    { 'server/src/start/parts.ts': `import { startPms } from '../../../sandbox/src/pms.ts'` },
    { 'sandbox/src/pms.ts': `import { Problem } from '@vacancy/client'` },
    { 'client/src/client.ts': `import { x } from '../../console/src/api.tsx'` },
  )
})

suite('what is imported is declared', () => {
  keeps(leavings.importsAreDeclared, {
    'server/package.json': '{}',
    'server/src/a.ts': `import x from 'left-pad'`,
  })
})

suite('versions stand still', () => {
  keeps(
    leavings.versionsStandStill,
    { 'server/package.json': '{ "dependencies": { "pg": "^8.0.0" } }' },
    { 'package.json': '{ "optionalDependencies": { "x": "latest" } }' },
  )
})

suite('the lock file names no address', () => {
  keeps(leavings.lockNamesNoAddress, {
    'package-lock.json': '{ "packages": { "x": { "resolved": "https://example.org/x.tgz" } } }',
  })
})

suite('nothing is put off', () => {
  keeps(leavings.nothingIsPutOff, { 'docs/style.md': 'TODO: write this.' })
})

suite('nothing names a place elsewhere', () => {
  keeps(
    leavings.nothingNamesAnotherPlace,
    { 'docs/style.md': 'See /home/somebody/notes.' },
    { '.npmrc': 'registry=https://registry.example.org/' },
  )
})

suite('links lead somewhere', () => {
  keeps(leavings.linksLeadSomewhere, { 'docs/style.md': 'See [the words](words.md).' })
})

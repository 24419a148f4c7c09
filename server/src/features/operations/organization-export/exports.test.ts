import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from '#db/sql.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { systemScope } from '#queue/periodic-task.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addUnit } from '#test/records.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import { addMedia } from '#test/uploads.ts'
import { openDownloadTokens } from './download-tokens.ts'
import { maxFileBytes } from './export.ts'
import { exportOrganization } from './export-organization.ts'
import { readManifest } from './manifest.ts'
import { beginAttempt } from './queries.ts'
import { keyOfExport, runExport } from './run-export.ts'

const { world, owner, stranger } = shareWorld({ workers: true })
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vacancy-exports-'))
  const { space_id } = await addUnit(owner)
  await addMedia(owner, space_id)
})
after(() => rm(folder, { recursive: true }))

const path = '/api/v1/exports'
interface Found {
  id: string
  status: string
  stage: string
  done: number
  total: number
  size_bytes: number
  checksum: string
  missing_files: number
  error_code: string | null
  expires_at: string
}

const begin = async (): Promise<Found> => expectStatus(await owner.post(path), 201).export
const read = async (id: string): Promise<Found> => expectStatus(await owner.get(`${path}/${id}`), 200).export
const ended = (id: string) =>
  until(
    () => read(id),
    ({ status }) => status === 'completed' || status === 'failed',
  )
const addressOf = async (id: string): Promise<string> => {
  const { url } = expectStatus(await owner.post(`${path}/${id}/download`), 200).download
  return world.url + new URL(url).pathname
}
const forget = () => runSql(world, sql`delete from exports`)
/** An export that no job works on. */
const addOpen = async (): Promise<string> =>
  (
    await runSql(
      world,
      sql<{ id: string }>`insert into exports (org_id) values (${world.home.id}) returning id`,
    )
  )[0]!.id
const scope = () => systemScope(world.resources, world.home.id)
const contextWith = (storage: Storage) => ({
  ...{ config: world.config, storage, uploads: join(world.config.home, 'uploads'), maxFileBytes },
})
const neverAborted = { signal: new AbortController().signal }

suite('an export by the API', () => {
  test('is the file that the command line writes, for anyone with its address', async () => {
    const created = await begin()
    const found = await ended(created.id)
    assert.deepEqual([found.status, found.stage, found.missing_files], ['completed', 'file', 0])
    assert.deepEqual([found.done, found.total], [found.size_bytes, found.size_bytes])
    const days = (Date.parse(found.expires_at) - Date.now()) / 86_400_000
    assert.ok(days > 6.9 && days <= 7, found.expires_at)

    const address = await addressOf(found.id)
    assert.equal((await fetch(address, { method: 'HEAD' })).status, 200)
    const response = await fetch(address)
    assert.match(
      response.headers.get('content-disposition')!,
      /^attachment; filename="vacancy-export-.*\.tar"$/,
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(bytes.length, found.size_bytes)
    const archive = join(folder, 'export.tar')
    await writeFile(archive, bytes)
    await promisify(execFile)('tar', ['-xf', archive, '-C', folder])

    const { manifest, checksum } = await readManifest(join(folder, 'vacancy-export'))
    assert.equal(checksum, found.checksum)
    assert.ok(manifest.media.files > 0)
    const direct = await exportOrganization(world.config, world.resources.storage, {
      ...{ orgId: world.home.id, folder: join(folder, 'direct'), withSealedSecrets: false },
      progress: () => {},
    })
    // The download is in the audit, which was written after the export.
    const isSame = ({ name }: { name: string }) => name !== 'sync_audit'
    assert.deepEqual(direct.manifest.tables.filter(isSame), manifest.tables.filter(isSame))
    assert.deepEqual(direct.manifest.media, manifest.media)
  })

  test('is for owners, of one organization, and in the audit', async () => {
    const [{ id }] = expectStatus(await owner.get(path), 200).exports
    const admin = await world.home.as('admin')
    for (const reply of [
      await admin.get(path),
      await admin.get(`${path}/${id}`),
      await admin.post(path),
      await admin.post(`${path}/${id}/download`),
    ])
      expectStatus(reply, 403)
    assert.deepEqual(expectStatus(await stranger.get(path), 200).exports, [])
    expectStatus(await stranger.get(`${path}/${id}`), 404)
    expectStatus(await stranger.post(`${path}/${id}/download`), 404)
    const { audit_entries } = expectStatus(await owner.get('/api/v1/audit?kind=organization'), 200)
    const actions = (audit_entries as { action: string }[]).map(({ action }) => action)
    for (const action of ['exported', 'downloaded']) assert.ok(actions.includes(action), action)
  })

  test('has addresses that expire, and that cannot be guessed', async (context) => {
    const [{ id }] = expectStatus(await owner.get(path), 200).exports
    const address = await addressOf(id)
    const forged = address.replace(/(.)\.tar$/, (_, last) => `${last === 'A' ? 'E' : 'A'}.tar`)
    const foreign = openDownloadTokens([{ bytes: Buffer.alloc(32) }])
    const tokens = openDownloadTokens(world.config.secrets.keys)
    const named = { orgId: world.home.id, exportId: id as string }
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() - 600_000 })
    const old = tokens.issue(named).token
    context.mock.timers.reset()
    for (const url of [
      ...[forged, `${world.url}/exports/${foreign.issue(named).token}.tar`],
      ...[`${world.url}/exports/${old}.tar`, `${world.url}/exports/x.tar`],
    ])
      assert.equal((await fetch(url)).status, 404, url)
    assert.equal((await fetch(address)).status, 200)
  })

  test('is the only one at its time, and one of five', async () => {
    await forget()
    const open = await addOpen()
    assert.equal(expectStatus(await owner.post(path), 409).code, 'already-exists')
    expectStatus(await owner.post(`${path}/${open}/download`), 409)
    await forget()
    await runSql(
      world,
      sql`
      insert into exports (org_id, status)
      select ${world.home.id}, 'failed' from generate_series(1, 5)`,
    )
    assert.equal(expectStatus(await owner.post(path), 409).code, 'conflict')
    await forget()
  })

  test('starts again after an interruption, and a late attempt changes nothing', async () => {
    await forget()
    const { storage } = world.resources
    const id = await addOpen()
    let letGo = () => {}
    const isStoring = Promise.withResolvers<void>()
    const late = runExport(
      scope(),
      contextWith({
        ...storage,
        async put(...file) {
          isStoring.resolve()
          await new Promise<void>((resolve) => (letGo = resolve))
          await storage.put(...file)
        },
      }),
      id,
      neverAborted,
    )
    await isStoring.promise
    await runExport(scope(), contextWith(storage), id, neverAborted)
    const completed = await read(id)
    assert.equal(completed.status, 'completed')
    letGo()
    await late
    assert.deepEqual(await read(id), completed)
    const key = (attempt: number) => keyOfExport(world.home.id, { id, attempt })
    assert.equal(await storage.sizeOf(key(1)), null)
    assert.equal(await storage.sizeOf(key(2)), completed.size_bytes)
  })

  test('fails with a code when no attempt succeeds', async () => {
    await forget()
    const id = await addOpen()
    await runSql(world, sql`update exports set attempts = 19 where id = ${id}`)
    const { storage } = world.resources
    const broken = contextWith({ ...storage, put: () => Promise.reject(new Error('broken')) })
    await assert.rejects(runExport(scope(), broken, id, neverAborted), /broken/)
    assert.deepEqual([(await read(id)).status, (await read(id)).error_code], ['running', null])
    await runExport(scope(), contextWith(storage), id, neverAborted)
    assert.deepEqual([(await read(id)).status, (await read(id)).error_code], ['failed', 'internal'])
    assert.equal(await beginAttempt(scope(), id), undefined)
  })

  test('fails at once when its file is larger than a bucket takes', async () => {
    await forget()
    const id = await addOpen()
    const { storage } = world.resources
    await runExport(scope(), { ...contextWith(storage), maxFileBytes: 10_000 }, id, neverAborted)
    assert.deepEqual([(await read(id)).status, (await read(id)).error_code], ['failed', 'too_large'])
    assert.equal(await storage.sizeOf(keyOfExport(world.home.id, { id, attempt: 1 })), null)
  })

  test('is deleted after its time, with its file', async () => {
    await forget()
    const { id } = await begin()
    await ended(id)
    const address = await addressOf(id)
    const [{ attempts } = { attempts: 0 }] = await runSql(
      world,
      sql<{ attempts: number }>`select attempts from exports where id = ${id}`,
    )
    await runSql(world, sql`update exports set expires_at = now() - interval '1 minute' where id = ${id}`)
    await runSql(
      world,
      sql`
      update queue.jobs
      set due_at = now() - interval '1 minute'
      where data ->> 'job' = 'delete-export'`,
    )
    await until(
      () => owner.get(`${path}/${id}`),
      ({ status }) => status === 404,
    )
    assert.equal(
      await world.resources.storage.sizeOf(keyOfExport(world.home.id, { id, attempt: attempts })),
      null,
    )
    assert.equal((await fetch(address)).status, 404)
  })
})

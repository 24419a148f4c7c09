import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readManifest } from '#features/operations/organization-export/manifest.ts'
import { keyOfExport } from '#features/operations/organization-export/run-export.ts'
import { openBucket } from './bucket.ts'
import { expectStatus } from './expect.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { until } from './linked-units.ts'
import { addSpace } from './records.ts'
import { expireHeartbeats, startWorkerProcess } from './test-process.ts'
import { noise, upload } from './uploads.ts'
import { openWorld } from './world.ts'
import { removeFolder } from './remove-folder.ts'

interface Found {
  id: string
  status: string
  stage: string
  size_bytes: number
  checksum: string
  missing_files: number
}

/** Each worker is on a machine of its own: only the bucket and the database are shared. */
test('a worker that is killed during an export, twice: the next one writes the whole file', async () => {
  await using closing = new AsyncDisposableStack()
  const bucket = closing.use(await openBucket())
  const way = closing.use(await startFaultProxy(bucket.env.S3_ENDPOINT))
  const secretKeys = `test:${randomBytes(32).toString('base64')}`
  const world = closing.use(await openWorld({ env: { ...bucket.env, SECRET_KEYS: secretKeys } }))
  const folder = await mkdtemp(join(tmpdir(), 'vacancy-export-crash-'))
  closing.defer(() => removeFolder(folder))
  const owner = await world.home.as('owner')
  const { id: spaceId } = await addSpace(owner)
  for (let n = 0; n < 3; n++)
    expectStatus(await upload(owner, spaceId, await noise(900, 600).jpeg().toBuffer()), 200)

  const { id }: Found = expectStatus(await owner.post('/api/v1/exports'), 201).export
  const read = async (): Promise<Found> => expectStatus(await owner.get(`/api/v1/exports/${id}`), 200).export
  const workUntil = async (machine: string, isReached: (found: Found) => boolean): Promise<Found> => {
    const home = join(folder, machine)
    const settings = { ...bucket.env, S3_ENDPOINT: way.url, VACANCY_HOME: home }
    await using worker = await startWorkerProcess(world, secretKeys, 'upkeep', settings)
    const reached = await until(read, isReached, 240)
    await worker.kill('SIGKILL')
    await expireHeartbeats(world)
    return reached
  }

  // The first waits for a photo, the second sends the file slowly.
  await way.set({ mode: 'blackhole' }, 'to_client')
  await workUntil('first', ({ status }) => status === 'running' && way.counts().opened > 0)
  await way.set({ mode: 'pass' })
  await way.set({ mode: 'trickle', bytesPerSecond: 20_000 }, 'to_server')
  const killed = await workUntil('second', ({ stage }) => stage === 'file')
  assert.equal(killed.status, 'running')
  await way.set({ mode: 'pass' })
  const completed = await workUntil('third', ({ status }) => status !== 'running')
  assert.deepEqual([completed.status, completed.missing_files], ['completed', 0])

  const { url } = expectStatus(await owner.post(`/api/v1/exports/${id}/download`), 200).download
  const bytes = Buffer.from(await (await fetch(world.url + new URL(url).pathname)).arrayBuffer())
  assert.equal(bytes.length, completed.size_bytes)
  await writeFile(join(folder, 'export.tar'), bytes)
  await promisify(execFile)('tar', ['-xf', join(folder, 'export.tar'), '-C', folder])
  const { manifest, checksum } = await readManifest(join(folder, 'vacancy-export'))
  assert.equal(checksum, completed.checksum)
  assert.ok(manifest.media.files >= 3)

  const kept: number[] = []
  for (let attempt = 1; attempt <= 20; attempt++)
    if ((await world.resources.storage.sizeOf(keyOfExport(world.home.id, { id, attempt }))) !== null)
      kept.push(attempt)
  assert.equal(kept.length, 1, `files of the attempts ${kept.join(', ')} are kept`)
})

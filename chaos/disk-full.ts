// When a disk is full, are writes refused, and is no acknowledged write lost?
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { noise } from '../server/test/uploads.ts'
import type { RequestOutcome } from '../server/test/caller.ts'
import { openCluster, type Cluster } from './cluster.ts'
import { verifyLedger } from './kills.ts'
import { startLoad } from './load.ts'
import { runScenario, formatTally, type ScenarioContext } from './scenario.ts'
import { addFixtures, post } from './fixtures.ts'
import { removeFolder } from '../server/test/remove-folder.ts'

// A disk with less than 32 MB free counts as full.
const diskMegabytes = { database: 420, media: 64 } as const

await runScenario(import.meta, { loops: 1, short: 1 }, async (context) => {
  await using mounts = new AsyncDisposableStack()
  const disks = { database: mount(mounts, diskMegabytes.database), media: mount(mounts, diskMegabytes.media) }
  if (disks.database === null || disks.media === null) {
    context.metric('NOT RUN', 'this user may not mount a file system (needs root on Linux)')
    return
  }
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = disks.database
  await using cluster = await openCluster({ env: { VACANCY_HOME: disks.media } })
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  await mediaDisk(context, cluster, disks.media)
  await databaseDisk(context, cluster, disks.database)
})

/** Mounts a file system of this size; null when that is not allowed. */
function mount(mounts: AsyncDisposableStack, megabytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-disk-'))
  mounts.defer(() => removeFolder(folder))
  const { status } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${megabytes}m,mode=0711`,
    'tmpfs',
    folder,
  ])
  if (status !== 0) return null
  mounts.defer(() => void spawnSync('umount', ['-l', folder]))
  return folder
}

async function mediaDisk(context: ScenarioContext, cluster: Cluster, disk: string): Promise<void> {
  const { space } = await post(cluster, 'spaces', { name: 'Photos' })
  const photo = new Uint8Array(await noise(900, 900).jpeg({ quality: 95 }).toBuffer())
  const upload = async () => {
    const form = new FormData()
    form.append('file', new Blob([photo], { type: 'image/jpeg' }), 'photo.jpg')
    return await cluster.clients[0]!.send('POST', `/api/v1/properties/${space.id}/media`, { body: form })
  }
  const first = await upload()
  await sleep(1_500)
  const before = filesIn(disk)
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(freeBytes(disk) - 100_000))
  const full = await upload()
  // Its folder is removed after the response.
  await sleep(1_500)
  const left = filesIn(disk).filter((file) => file !== 'ballast')
  const isReported = await waitForDiskHealth(cluster, 'unhealthy')
  rmSync(ballast)
  const again = await upload()
  context.verdict('media: /health reports the full disk', isReported, isReported ? 'unhealthy' : 'never')
  const isRecovered = await waitForDiskHealth(cluster, 'healthy')
  context.verdict(
    'media: /health reports that there is space again',
    isRecovered,
    isRecovered ? 'healthy' : 'never',
  )
  context.verdict(
    'media: an upload to the full disk is refused',
    full.status === 503,
    `${full.status} ${full.text}`,
  )
  context.verdict(
    'media: it leaves no file',
    left.length === before.length,
    `${left.length} files, ${before.length} before`,
  )
  context.verdict(
    'media: uploads succeed when there is space again',
    first.status === 200 && again.status === 200,
    `${first.status} before, ${again.status} after`,
  )
}

/** Waits until /health reports this of the disk; false after 30 s. Results are cached for some seconds. */
async function waitForDiskHealth(cluster: Cluster, word: 'healthy' | 'unhealthy'): Promise<boolean> {
  for (let n = 0; n < 30; n++) {
    const { body } = await cluster.clients[0]!.get('/health')
    if (body.checks.disk === word) return true
    await sleep(1_000)
  }
  return false
}

async function databaseDisk(context: ScenarioContext, cluster: Cluster, disk: string): Promise<void> {
  const load = startLoad(cluster, await addFixtures(cluster))
  await sleep(3_000)
  const ballast = join(disk, 'ballast')
  fill(ballast)
  const counts = new Map<string, number>()
  const count = (what: string, outcome: RequestOutcome) => {
    const key = `${what} ${outcome.kind === 'answered' ? outcome.status : outcome.kind}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  for (let n = 0; n < (context.isShort ? 40 : 150); n++) {
    const client = cluster.clients[n % cluster.clients.length]!
    // Large enough to need new pages soon.
    const body = { name: `Full ${n}`, description: randomText(9_000) }
    count('write', await client.attempt({ method: 'POST', path: '/api/v1/spaces', body }))
    count('read', await client.attempt({ method: 'GET', path: '/api/v1/spaces?limit=1' }))
    await sleep(200)
  }
  rmSync(ballast)
  await sleep(2_000)
  const wasDown = await isDown(cluster)
  if (wasDown) {
    await cluster.postgres.kill('SIGKILL')
    await cluster.postgres.start()
  }
  const details = [...counts].map(([what, times]) => `${times} × ${what}`).join(', ')
  const isExpected = [...counts.keys()].every((what) => /^(write (201|400|503)|read (200|503))$/.test(what))
  context.verdict('database: writes are refused with 503', isExpected && counts.has('write 503'), details)
  context.metric('database: PostgreSQL stopped and was started again', wasDown ? 'yes' : 'no')
  context.verdicts(await verifyLedger(cluster, load))
  context.metric('database: requests', formatTally(load))
}

/** Text that cannot be compressed. */
function randomText(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length)
}

async function isDown(cluster: Cluster): Promise<boolean> {
  for (let n = 0; n < 5; n++) {
    const response = await cluster.clients[0]!.attempt({ method: 'GET', path: '/health/ready' })
    if (response.kind === 'answered' && response.status === 200) return false
    await sleep(1_000)
  }
  return true
}

/** Writes until the disk is full. */
function fill(path: string): void {
  const chunk = Buffer.alloc(65_536)
  try {
    for (;;) appendFileSync(path, chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function filesIn(folder: string): string[] {
  mkdirSync(folder, { recursive: true })
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name }) => name)
}

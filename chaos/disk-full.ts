// When a disk is full, is what cannot be kept refused, and is nothing lost that was acknowledged?
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
import type { Outcome } from './door.ts'
import { openHouse, type House } from './house.ts'
import { reckon } from './kills.ts'
import { startLoad } from './load.ts'
import { scenario, tellTally, type Scene } from './scenario.ts'
import { fillHouse, post } from './stock.ts'

// In megabytes; with less than 32 free a disk counts as full.
const rooms = { database: 420, media: 64 } as const

await scenario(import.meta, { loops: 1, short: 1 }, async (scene) => {
  await using mounts = new AsyncDisposableStack()
  const disks = { database: mount(mounts, rooms.database), media: mount(mounts, rooms.media) }
  if (disks.database === null || disks.media === null) {
    // Said, and no promise missed: it is the machine that cannot play this.
    scene.figure('NOT PLAYED', 'this user may not mount a small file system (needs root on Linux)')
    return
  }
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = disks.database
  await using house = await openHouse({ env: { VACANCY_HOME: disks.media } })
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  await mediaDisk(scene, house, disks.media)
  await databaseDisk(scene, house, disks.database)
})

/** A file system of so many megabytes; null where that is not allowed. */
function mount(mounts: AsyncDisposableStack, megabytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-disk-'))
  mounts.defer(() => rmSync(folder, { recursive: true, force: true }))
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

async function mediaDisk(scene: Scene, house: House, disk: string): Promise<void> {
  const { space } = await post(house, 'spaces', { name: 'Photos' })
  const photo = new Uint8Array(await noise(900, 900).jpeg({ quality: 95 }).toBuffer())
  const upload = async () => {
    const form = new FormData()
    form.append('file', new Blob([photo], { type: 'image/jpeg' }), 'photo.jpg')
    const answer = await fetch(`${house.doors[0]!.url}/api/v1/properties/${space.id}/media`, {
      ...{ method: 'POST', body: form },
      headers: { authorization: `Bearer ${await house.token()}`, 'x-internal-token': house.internalToken },
    })
    return { status: answer.status, text: await answer.text() }
  }
  const first = await upload()
  await sleep(1_500)
  const kept = filesIn(disk)
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(freeBytes(disk) - 100_000))
  const full = await upload()
  // Its folder goes when the answer has gone.
  await sleep(1_500)
  const left = filesIn(disk).filter((file) => file !== 'ballast')
  const isTold = await saysOfDisk(house, 'unhealthy')
  rmSync(ballast)
  const again = await upload()
  scene.verdict('media: /health says that the disk is full', isTold, isTold ? 'unhealthy' : 'never')
  const isOver = await saysOfDisk(house, 'healthy')
  scene.verdict('media: and that it has room again', isOver, isOver ? 'healthy' : 'never')
  scene.verdict(
    'media: a photo that does not fit is refused',
    full.status === 503,
    `${full.status} ${full.text}`,
  )
  scene.verdict(
    'media: nothing is left of it',
    left.length === kept.length,
    `${left.length} files, ${kept.length} before`,
  )
  scene.verdict(
    'media: it goes on when there is space',
    first.status === 200 && again.status === 200,
    `${first.status} before, ${again.status} after`,
  )
}

/** Whether /health comes to say so of the disk; what it found is kept for some seconds. */
async function saysOfDisk(house: House, word: 'healthy' | 'unhealthy'): Promise<boolean> {
  for (let n = 0; n < 30; n++) {
    const answer = await fetch(`${house.doors[0]!.url}/health`)
    const { checks } = (await answer.json()) as { checks: Record<string, string> }
    if (checks['disk'] === word) return true
    await sleep(1_000)
  }
  return false
}

async function databaseDisk(scene: Scene, house: House, disk: string): Promise<void> {
  const load = startLoad(house, await fillHouse(house))
  await sleep(3_000)
  const ballast = join(disk, 'ballast')
  fill(ballast)
  const seen = new Map<string, number>()
  const count = (what: string, outcome: Outcome) => {
    const key = `${what} ${outcome.kind === 'answered' ? outcome.status : outcome.kind}`
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  for (let n = 0; n < (scene.isShort ? 40 : 150); n++) {
    const door = house.doors[n % house.doors.length]!
    // Large enough that the pages at hand do not suffice for long.
    const body = { name: `Full ${n}`, description: noiseOf(9_000) }
    count('write', await door.ask({ method: 'POST', path: '/api/v1/spaces', body }))
    count('read', await door.ask({ method: 'GET', path: '/api/v1/spaces?limit=1' }))
    await sleep(200)
  }
  rmSync(ballast)
  await sleep(2_000)
  const wasDown = await isDown(house)
  if (wasDown) {
    await house.postgres.kill('SIGKILL')
    await house.postgres.start()
  }
  const found = [...seen].map(([what, times]) => `${times} × ${what}`).join(', ')
  const isDecent = [...seen.keys()].every((what) => /^(write (201|400|503)|read (200|503))$/.test(what))
  scene.verdict('database: what cannot be kept is refused with 503', isDecent && seen.has('write 503'), found)
  scene.figure('database: PostgreSQL gave up and was started again', wasDown ? 'yes' : 'no')
  scene.verdicts(await reckon(house, load))
  scene.figure('database: requests', tellTally(load))
}

/** Text that the database cannot make smaller. */
function noiseOf(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length)
}

async function isDown(house: House): Promise<boolean> {
  for (let n = 0; n < 5; n++) {
    const answer = await house.doors[0]!.ask({ method: 'GET', path: '/health/ready' })
    if (answer.kind === 'answered' && answer.status === 200) return false
    await sleep(1_000)
  }
  return true
}

/** Others write meanwhile, so it is full when it says so. */
function fill(path: string): void {
  const piece = Buffer.alloc(65_536)
  try {
    for (;;) appendFileSync(path, piece)
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

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import { Conflict, Invalid, NotFound } from '#errors.ts'
import type { TestCaller } from '#test/caller.ts'
import { expectStatus } from '#test/expect.ts'
import { atPms, until } from '#test/linked-units.ts'
import { openPopulatedWorld, type PopulatedWorld } from '#test/populated-world.ts'
import { runSql } from '#test/run-sql.ts'
import { shareWorld } from '#test/share-world.ts'
import type { World } from '#test/world.ts'
import { exportOrganization } from './export-organization.ts'
import { exportedTables, tablesLeftOut } from './exported-tables.ts'
import { importOrganization } from './import-organization.ts'

const progress = () => {}
const { world: target } = shareWorld({ workers: true })
let source: PopulatedWorld
let folder: string
before(async () => {
  source = await openPopulatedWorld()
  await addRest(source)
  folder = await mkdtemp(join(tmpdir(), 'vacancy-export-'))
})
after(async () => {
  await source[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const exportFrom = (
  { config, resources }: World,
  name: string,
  { orgId = source.world.home.id, withSealedSecrets = false } = {},
) =>
  exportOrganization(config, resources.storage, {
    ...{ orgId, folder: join(folder, name), withSealedSecrets, progress },
  })
const importInto = ({ config, resources: { storage, vault } }: World, name: string, checksum?: string) =>
  importOrganization({ config, storage, vault }, { folder: join(folder, name), checksum, progress })

/** Rows of the tables that the populated world leaves empty. */
async function addRest({ world, owner, ids: { unit_id, guest_erasure_id } }: PopulatedWorld): Promise<void> {
  const orgId = world.home.id
  await addMember(world.config, { orgId, email: 'ana@members.example', role: 'owner' })
  const night = { unit_id, date_from: '2031-05-01', date_to: '2031-05-03' }
  expectStatus(
    await owner.post('/api/v1/calendar', {
      values: [{ ...night, blocked: 1, reason: 'Line\u2028separator' }],
    }),
    201,
  )
  await runSql(
    world,
    sql`insert into unit_references (org_id, reference, unit_id) values (${orgId}, 'Ä 7', ${unit_id})`,
  )
  await runSql(
    world,
    sql`insert into erased_bookings (org_id, guest_erasure_id, pms_booking_id)
      values (${orgId}, ${guest_erasure_id}, 'PMS-ERASED')`,
  )
}

const read = async (caller: TestCaller, path: string) =>
  expectStatus(await caller.get(`/api/v1/${path}`), 200)

suite('the export of an organization', () => {
  test('names every table of organizations, or says why not', async () => {
    const tables = await runSql(
      source.world,
      sql<{ name: string }>`
        select table_name::text as name
        from information_schema.columns
        join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and column_name = 'org_id' and table_type = 'BASE TABLE'`,
    )
    assert.deepEqual(
      tables.map(({ name }) => name).sort(),
      [...exportedTables.map(({ name }) => name), ...Object.keys(tablesLeftOut)]
        .filter((name) => name !== 'organizations')
        .sort(),
    )
  })

  test('waits for the erasure of a guest', async () => {
    await assert.rejects(exportFrom(source.world, 'too-early'), Conflict)
    await runSql(
      source.world,
      sql`update guest_erasures set status = 'completed', plan = null, completed_at = now()`,
    )
  })

  test('contains every kind of record, nothing of another organization, and no secret', async () => {
    const { manifest, missing } = await exportFrom(source.world, 'first')
    assert.deepEqual(missing, [])
    assert.deepEqual(
      manifest.tables.filter(({ rows }) => rows === 0),
      [],
    )
    const foreign = [source.world.away.id, ...Object.values(source.foreignIds)]
    for (const { name } of manifest.tables) {
      const text = await readFile(join(folder, 'first/tables', `${name}.jsonl`), 'utf8')
      for (const id of foreign) assert.ok(!text.includes(id), `${name} names ${id}`)
      for (const line of text.split('\n').slice(0, -1)) {
        const record = JSON.parse(line) as Record<string, unknown>
        assert.equal(record[name === 'organizations' ? 'id' : 'org_id'], source.world.home.id)
        for (const secret of ['credentials', 'address', 'token_hash', 'secret', 'client_secret'])
          if (name !== 'spaces') assert.equal(record[secret] ?? null, null, `${name}.${secret}`)
      }
    }
  })

  test('is refused for an unknown organization, and for a folder that is not empty', async () => {
    const orgId = '00000000-0000-4000-8000-000000000000'
    await assert.rejects(exportFrom(source.world, 'unknown', { orgId }), NotFound)
    await assert.rejects(exportFrom(source.world, 'first'), Invalid)
  })
})

suite('the import of an export', () => {
  test('leaves nothing behind when a file was changed', async () => {
    const path = join(folder, 'first/tables/units.jsonl')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/"name":"/, '"name":"X'))
    await assert.rejects(importInto(target, 'first'), /tables\/units\.jsonl was changed/)
    await writeFile(path, text)
    const media = await readdir(join(folder, 'first/media', source.world.home.id))
    const mediaPath = join(folder, 'first/media', source.world.home.id, media[0]!)
    const bytes = await readFile(mediaPath)
    await appendFile(mediaPath, 'x')
    await assert.rejects(importInto(target, 'first'), /was changed or is missing/)
    await writeFile(mediaPath, bytes)
    await assert.rejects(importInto(target, 'first', '0'.repeat(64)), /has the checksum/)
    await assert.rejects(importInto(target, 'first/manifest.json'), Invalid)
    assert.equal(await isThere(), false)
  })

  test('writes nothing of another organization, although the checksums are right', async () => {
    const { manifest } = await exportFrom(source.world, 'forged')
    const forge = async (table: string, from: string, to: string) => {
      const path = join(folder, 'forged/tables', `${table}.jsonl`)
      const text = (await readFile(path, 'utf8')).replaceAll(from, to)
      await writeFile(path, text)
      const sha256 = createHash('sha256').update(text).digest('hex')
      Object.assign(
        manifest.tables.find(({ name }) => name === table)!,
        { sha256 },
      )
      await writeFile(join(folder, 'forged/manifest.json'), JSON.stringify(manifest))
    }
    const foreignId = target.away.id
    await forge('charges', `"org_id":"${source.world.home.id}"`, `"org_id":"${foreignId}"`)
    await assert.rejects(importInto(target, 'forged'), /records of another organization/)
    await forge('charges', `"org_id":"${foreignId}"`, `"org_id":"${source.world.home.id}"`)
    for (const key of [foreignId, '../../..', `${source.world.home.id}/..`]) {
      await forge('media_files', `"key":"${source.world.home.id}/`, `"key":"${key}/`)
      await assert.rejects(importInto(target, 'forged'), /is not the key of a file of/)
      await forge('media_files', `"key":"${key}/`, `"key":"${source.world.home.id}/`)
    }
    assert.equal(await isThere(), false)
  })

  test('has the same records, media and ids, and pushes nothing', async () => {
    const exported = await exportFrom(source.world, 'again')
    const imported = await importInto(target, 'again', exported.checksum)
    assert.equal(imported.isNew, true)
    const back = await exportFrom(target, 'back')
    assert.deepEqual(back.manifest.tables, exported.manifest.tables)
    assert.deepEqual(back.manifest.media, exported.manifest.media)

    const owner = await ownerAtTarget()
    for (const path of ['spaces', 'units', 'rate-plans', 'bookings', 'charges', 'seasons', 'quotes', 'audit'])
      assert.deepEqual(
        await read(owner, `${path}?limit=100`),
        await read(source.owner, `${path}?limit=100`),
        path,
      )
    const { channel_targets } = await read(owner, 'channel-targets')
    assert.deepEqual([...new Set(statusesOf(channel_targets))], ['inactive'])
    const { channel_listings } = await read(owner, 'channel-listings')
    assert.deepEqual([...new Set(statusesOf(channel_listings))], ['paused'])
    const { media } = await read(owner, `media/${source.ids['media_id']}`)
    assert.equal((await fetch(`${target.url}${new URL(media.url).pathname}`)).status, 200)
    await target.settled()
    const { calls } = (await (await fetch(`${target.pms.url}/_control/calls`)).json()) as { calls: object[] }
    assert.deepEqual(calls, [])
  })

  test('repeated, changes nothing; and is refused when the organization has changed', async () => {
    assert.equal((await importInto(target, 'again')).isNew, false)
    const owner = await ownerAtTarget()
    const path = `/api/v1/units/${source.ids['unit_id']}`
    expectStatus(await owner.patch(path, { name: 'Renamed' }), 200)
    await assert.rejects(importInto(target, 'again'), Conflict)
    assert.equal((await read(owner, `units/${source.ids['unit_id']}`)).unit.name, 'Renamed')
  })

  test('goes live: the PMS gets everything, and secrets are entered again', async () => {
    const owner = await ownerAtTarget()
    const {
      channel_target_id: targetId,
      channel_listing_id: listingId,
      calendar_feed_id: feedId,
    } = source.ids
    const { channel_type, name, config } = (await read(owner, `channel-targets/${targetId}`)).channel_target
    const body = { channel_type, name, config, status: 'active' }
    expectStatus(await owner.put(`/api/v1/channel-targets/${targetId}`, body), 200)
    expectStatus(await owner.delete(`/api/v1/channel-listings/${listingId}/pause`), 204)
    const { external_id } = (await read(owner, `channel-listings/${listingId}`)).channel_listing
    const pushed = await until(
      () => atPms(target, { targetId: targetId!, externalId: external_id }),
      (unit) => unit !== undefined,
    )
    assert.equal(pushed!['name'], 'Renamed')

    const feed = (await read(owner, `calendar-feeds/${feedId}`)).calendar_feed
    assert.equal(feed.status, 'inactive')
    const before = (await read(source.owner, `calendar-feeds/${feedId}`)).calendar_feed
    assert.notEqual(new URL(feed.url).pathname, new URL(before.url).pathname)
    const endpoint = `/api/v1/webhook-endpoints/${source.ids['webhook_endpoint_id']}`
    const rotated = expectStatus(await owner.post(`${endpoint}/secret`), 201)
    assert.match(JSON.stringify(rotated), /whsec_/)
  })

  const statusesOf = (records: { status: string }[]) => records.map(({ status }) => status)

  const isThere = async () => {
    const found = await runSql(
      target,
      sql<{ id: string }>`select id from organizations where id = ${source.world.home.id}`,
    )
    return found.length > 0
  }

  const ownerAtTarget = async () => {
    const { id, accountId } = source.world.home
    return target.caller(
      await target.issuer.sign({ sub: 'ana', org_id: id, account_id: accountId, role: 'owner' }),
    )
  }
})

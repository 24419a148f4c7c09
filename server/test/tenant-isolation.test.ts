import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql, type Statement } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { addMember } from '#features/tenancy/provisioning/members.ts'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { expectStatus } from './expect.ts'
import {
  addAlert,
  addCharge,
  addEndedImport,
  addExport,
  addFileImport,
  addErasure,
  addFeed,
  addMessage,
  addNotification,
  addQuote,
  addStop,
} from './records.ts'
import { addRefund } from './payments.ts'
import { addConflict } from './pms-bookings.ts'
import { addLinkedUnit } from './linked-units.ts'
import { addMedia } from './uploads.ts'
import { addDelivery } from './webhook-receiver.ts'
import { shareWorld } from './share-world.ts'

/** Row-level security under the role of the API, and foreign keys with the organization, of every table. */

const { world } = shareWorld({ workers: true })
let owner: Database
let tables: string[]

const run = async <Row>(
  database: Database,
  orgId: string | null,
  statement: Statement<Row>,
): Promise<Row[]> => (await database.pipelined({ orgId }, [statement]))[0]
const asApp = <Row>(orgId: string | null, statement: Statement<Row>) =>
  run(world.resources.database, orgId, statement)
const asOwner = <Row>(statement: Statement<Row>) => run(owner, null, statement)
const orgColumn = (table: string) => sql.ref(table === 'organizations' ? 'id' : 'org_id')
const denied = { code: '42501' }

before(async () => {
  owner = openOwner(world.databaseUrl)
  tables = (
    await asOwner(sql<{ name: string }>`select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and (c.relname = 'organizations' or exists (
        select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped))
      order by 1`)
  ).map(({ name }) => name)
  for (const organization of [world.home, world.away]) {
    const caller = await organization.as('owner')
    const linked = await addLinkedUnit(caller, { rate_limit: { requests: 100, window_seconds: 1 } })
    const { unitId, listingId } = linked
    await addFeed(caller, { unit_id: unitId })
    await addCharge(caller, { unit_id: unitId })
    await addQuote(caller, { unit_id: unitId, hold: true })
    await addErasure(caller, unitId)
    await addStop(caller, { unit_id: unitId })
    const nights = { unit_id: unitId, date_from: '2030-07-01', date_to: '2030-07-05' }
    const values = [{ price_cents: 1 }, { blocked: 1 }].map((value) => ({ ...nights, ...value }))
    expectStatus(await caller.post('/api/v1/calendar', { values }), 201)
    const season = { name: 'July', values: [{ ...nights, unit_id: undefined, price_percent: 10 }] }
    expectStatus(await caller.post('/api/v1/seasons', season), 201)
    const { id: importId } = await addEndedImport(caller)
    await asOwner(sql`
      insert into import_items (org_id, import_id, kind, external_id, "position", name, action)
      values (${organization.id}, ${importId}, 'unit', '1', 1, 'One', 'skip')`)
    await addExport(caller)
    const { id: fileImportId } = await addFileImport(caller)
    await caller.post(`/api/v1/file-imports/${fileImportId}/cancel`)
    await asOwner(sql`
      insert into unit_references (org_id, reference, unit_id)
      values (${organization.id}, 'A1', ${unitId})`)
    await addAlert(world, organization, linked)
    await addConflict(world, organization, linked.targetId)
    await addDelivery(world, organization)
    await addMessage(world, linked.targetId)
    await addNotification(caller)
    await addRefund(world, caller)
    await addMedia(caller, linked.spaceId)
    await caller.post('/api/v1/spaces', { name: 'Kept' }, { 'idempotency-key': 'one' })
    await addMember(world.config, { orgId: organization.id, email: 'ana@x.example', role: 'staff' })
    await world.settled()
    // With nothing to say, the PMS is read back.
    const triggered = await caller.post('/api/v1/sync/trigger', { channel_listing_id: listingId })
    expectStatus(triggered, 201)
  }
  await world.settled()
  await asOwner(sql`insert into organization_moves (org_id, status) select id, 'draining' from organizations`)
  world.defer(() => owner.close())
})

suite('row-level security under the role of the API', () => {
  test('the role owns nothing and cannot step around the policies', async () => {
    const [role] = await asOwner(sql`select rolsuper, rolbypassrls, rolcreaterole, rolcanlogin,
      (select count(*)::int from pg_class where relowner = r.oid) as owned from pg_roles r where rolname = 'vacancy_app'`)
    assert.deepEqual(role, {
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcanlogin: false,
      owned: 0,
    })
    assert.deepEqual(await asApp(null, sql`select current_user as name`), [{ name: 'vacancy_app' }])
  })

  test('every table with an organization has forced policies that look at it', async () => {
    const found = await asOwner(sql<{ name: string }>`select c.relname as name from pg_class c
      where c.relname = any(${tables}) and c.relnamespace = 'public'::regnamespace
        and c.relrowsecurity and c.relforcerowsecurity and (
          select count(*) = 1 and bool_and(qual like '%current_org()%' and with_check like '%current_org()%' and cmd = 'ALL')
          from pg_policies p where p.tablename = c.relname and 'vacancy_app' = any(p.roles))
      order by 1`)
    assert.deepEqual(
      found.map(({ name }) => name),
      tables,
    )
  })

  test('a table without an organization is one of these', async () => {
    const others = await asOwner(sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
        and not relname = any(${tables}) order by 1`)
    const known =
      'migrations organizations_in_move partitioned_tables revoked_tokens scheduler secret_ages unrouted_webhooks'
    assert.equal(others.map(({ name }) => name).join(' '), known)
  })

  test('a function that sees across organizations is one of these, and belongs to the lookout', async () => {
    const found = await asOwner(sql<{ name: string; owner: string }>`select proname as name,
      proowner::regrole::text as owner from pg_proc
      where pronamespace = 'public'::regnamespace and prosecdef order by 1`)
    const ofOwner = ['drop_partition', 'make_partitions']
    assert.deepEqual(
      found.filter(({ name }) => !ofOwner.includes(name)).map(({ name, owner }) => `${name} ${owner}`),
      [
        'booking_conflicts_to_retry',
        'calendar_feed_of_token',
        'calendar_feeds_to_fetch',
        'enter_organization',
        'erase_from_reasons',
        'expired_rows',
        'few_decisions',
        'find_memberships',
        'find_moved_organizations',
        'find_token_organizations',
        'forget_calendar_changes',
        'forget_events',
        'forget_expired',
        'forget_file_imports',
        'forget_notifications',
        'forget_payment_notices_batch',
        'forget_pms_bookings_batch',
        'forget_quotes',
        'forget_webhooks_batch',
        'guest_erasures_to_work',
        'guests_to_forget',
        'holds_to_expire',
        'identity_conflicts_to_close',
        'listings_gone_stale',
        'listings_to_verify',
        'number_restored_events',
        'oldest_stored_secrets',
        'organizations_with_left_files',
        'overdue_targets',
        'payment_intent_named',
        'payments_to_settle',
        'queue_backlog',
        'record_audit',
        'records_named',
        'refund_alerts_to_close',
        'sealing_keys',
        'search_records',
        'sync_lag',
        'targets_to_ask_for_bookings',
        'targets_to_check',
        'targets_to_read_back',
        'targets_to_reconcile',
        'webhook_endpoints_due',
        'webhook_targets',
      ].map((name) => `${name} vacancy_lookout`),
    )
  })

  test('only our own rows are seen, and none without an organization', async () => {
    for (const table of tables) {
      const whose = sql<{ org: string }>`select distinct ${orgColumn(table)} as org from ${sql.ref(table)}`
      assert.deepEqual((await asOwner(whose)).length, 2, `${table} must have rows of both`)
      assert.deepEqual(await asApp(world.home.id, whose), [{ org: world.home.id }], table)
      assert.deepEqual(await asApp(null, whose), [], table)
    }
  })

  test('a row of another organization is neither written, moved, changed nor removed', async () => {
    for (const table of tables) {
      const columns = await asOwner(sql<{ name: string }>`select attname as name from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
      const names = columns.map(({ name }) => name)
      const org = table === 'organizations' ? 'id' : 'org_id'
      const values = names.map((name) => (name === org ? sql`${world.away.id}::uuid` : sql.ref(name)))
      const place = sql`${sql.ref(table)} (${sql.join(names.map((name) => sql.ref(name)))})`
      const copied = sql`insert into ${place} select ${sql.join(values)} from ${sql.ref(table)} limit 1`
      await assert.rejects(asApp(world.home.id, copied), denied, `${table}: insert`)
      const moved = sql`update ${sql.ref(table)} set ${sql.ref(org)} = ${world.away.id}`
      await assert.rejects(asApp(world.home.id, moved), denied, `${table}: move`)
      const theirs = sql`where ${sql.ref(org)} = ${world.away.id} returning 1`
      for (const reach of [
        sql`update ${sql.ref(table)} set ${sql.ref(org)} = ${sql.ref(org)} ${theirs}`,
        sql`delete from ${sql.ref(table)} ${theirs}`,
      ]) {
        const reached = await asApp(world.home.id, reach).catch((error: { code: string }) => error.code)
        assert.ok(reached === denied.code || reached.length === 0, `${table}: ${JSON.stringify(reached)}`)
      }
    }
  })

  test('history is added to, never changed: not even our own', async () => {
    for (const change of [sql`update sync_audit set action = 'x'`, sql`delete from sync_audit`])
      await assert.rejects(asApp(world.home.id, change), denied)
  })
})

suite('foreign keys carry the organization', () => {
  test('every key between two tables with an organization has it on both sides', async () => {
    const loose = await asOwner(sql<{ name: string }>`select conrelid::regclass || ' ' || conname as name
      from pg_constraint k
      join pg_attribute a on a.attrelid = k.conrelid and a.attname = 'org_id'
      join pg_attribute b on b.attrelid = k.confrelid and b.attname = 'org_id'
      where k.contype = 'f' and k.connamespace = 'public'::regnamespace
        and not exists (select 1 from unnest(k.conkey, k.confkey) as pair (mine, theirs)
          where pair.mine = a.attnum and pair.theirs = b.attnum)`)
    assert.deepEqual(loose, [])
  })

  test('a unit in the space of another organization is refused, also to the owner of the tables', async () => {
    const [space] = await asOwner(
      sql<{ id: string }>`select id from spaces where org_id = ${world.away.id} limit 1`,
    )
    const unit = (spaceId: string) => sql`insert into units
        (org_id, account_id, space_id, name, type, bedrooms, bathrooms, max_guests, base_price_cents, currency)
      values (${world.home.id}, ${world.home.accountId}, ${spaceId}, 'X', 'room', 1, 1, 1, 1, 'eur')`
    await assert.rejects(asOwner(unit(space!.id)), { code: '23503' })
    await assert.rejects(asApp(world.home.id, unit(space!.id)), { code: '23503' })
  })
})

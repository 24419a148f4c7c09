import { sql } from 'kysely'
import type { House } from './house.ts'

/** How long one push waited from the time it was due. */
export interface Wait {
  listing: string
  /** Until a worker took it. */
  claimed_ms: number
  /** Until the PMS had it and that was written. */
  told_ms: number
}

/** Written by the database itself, since the next change replaces the time at which a push was due. */
export async function recordWaits({ owner }: House): Promise<void> {
  await owner.pipelined({ orgId: null }, [
    sql`create unlogged table bench_waits (listing uuid, claim uuid, at timestamptz,
      claimed_ms float8, told_ms float8)`,
    sql`create index on bench_waits (claim)`,
    sql`create function bench_wait() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        if new.status = 'in_progress' and old.status = 'pending' then
          insert into bench_waits values (new.channel_listing_id, new.claim, new.pushed_at,
            extract(epoch from new.pushed_at - new.due_at) * 1000);
        elsif old.claim is not null and new.claim is null then
          update bench_waits set told_ms = claimed_ms + extract(epoch from clock_timestamp() - old.pushed_at) * 1000
            where claim = old.claim;
        end if;
        return null;
      end $$`,
    sql`create trigger bench_wait after update on listing_syncs for each row execute function bench_wait()`,
  ])
}

/** Of the pushes that were taken in that time. */
export const waitsBetween = ({ query }: House, from: Date, to = new Date()): Promise<Wait[]> =>
  query(sql<Wait>`select listing, claimed_ms, told_ms from bench_waits
    where at >= ${from.toISOString()} and at < ${to.toISOString()} and told_ms is not null`)

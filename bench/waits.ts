import { sql } from '../server/src/db/sql.ts'
import type { BenchWorld } from './bench-world.ts'

/** The waits of one push, from the time it was due. */
export interface PushWait {
  listing: string
  /** Until a worker claimed it. */
  claimed_ms: number
  /** Until the result was saved. */
  confirmed_ms: number
}

/** Recorded by a trigger, because the next change replaces `due_at`. */
export async function recordWaits({ owner }: BenchWorld): Promise<void> {
  await owner.pipelined({ orgId: null }, [
    sql`create unlogged table bench_waits (listing uuid, claim uuid, at timestamptz,
      claimed_ms float8, confirmed_ms float8)`,
    sql`create index on bench_waits (claim)`,
    sql`create function bench_wait() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        if new.status = 'in_progress' and old.status = 'pending' then
          insert into bench_waits values (new.channel_listing_id, new.claim, new.pushed_at,
            extract(epoch from new.pushed_at - new.due_at) * 1000);
        elsif old.claim is not null and new.claim is null then
          update bench_waits set confirmed_ms = claimed_ms + extract(epoch from clock_timestamp() - old.pushed_at) * 1000
            where claim = old.claim;
        end if;
        return null;
      end $$`,
    sql`create trigger bench_wait after update on listing_syncs for each row execute function bench_wait()`,
  ])
}

/** The waits of pushes that were claimed in a period. */
export const waitsBetween = ({ query }: BenchWorld, from: Date, to = new Date()): Promise<PushWait[]> =>
  query(sql<PushWait>`select listing, claimed_ms, confirmed_ms from bench_waits
    where at >= ${from.toISOString()} and at < ${to.toISOString()} and confirmed_ms is not null`)

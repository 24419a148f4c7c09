import { test } from 'node:test'
import { findMissingPackages } from './patroni.ts'
import { runShort } from './short-scenario.ts'

/** `npm run chaos -- failover` kills more, and checks how long a failover takes. */
test('nothing is lost when the leader of PostgreSQL, the primary of Redis and the processes are replaced', (t) =>
  runShort(t, 'failover', findMissingPackages()))

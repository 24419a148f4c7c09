import { test } from 'node:test'
import { findProgram } from './managed-process.ts'
import { runShort } from './short-scenario.ts'

/** `npm run chaos -- cells` moves an organization more often. */
test('nothing is lost when an organization moves to another cell and back, and a cell is killed', (t) =>
  runShort(t, 'cells', findProgram('haproxy') === undefined ? ['haproxy'] : []))

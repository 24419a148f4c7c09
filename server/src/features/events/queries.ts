import { sql } from 'kysely'
import { rows, type Transaction } from '#db/scope.ts'
import type { EventType, NewEvent } from './event.ts'

/** One statement, however many. */
export const insertEvents = (transaction: Transaction, events: readonly NewEvent[]) =>
  rows(
    transaction,
    sql<{ id: string; type: EventType }>`insert into events (org_id, account_id, type, subject_id, data, traceparent)
      select ${transaction.orgId}, "accountId", type, "subjectId", data, ${transaction.traceparent}
      from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
        as e ("accountId" uuid, type text, "subjectId" uuid, data jsonb)
      returning id, type`,
  )

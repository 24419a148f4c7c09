import type { Config } from '#config/config.ts'
import { openDatabase, type Connection } from '#db/connect.ts'

export interface TransferDatabase extends AsyncDisposable {
  /** With `isSnapshot` it reads the state of one moment, and writes nothing. */
  transaction<T>(
    context: { orgId: string; isSnapshot?: boolean },
    work: (connection: Connection) => Promise<T>,
  ): Promise<T>
}

const tenMinutesMs = 600_000

/** One connection in a role for which row-level security holds. Its statements may take longer than those of a request. */
export function openTransferDatabase(
  { database: { ownerUrl } }: Pick<Config, 'database'>,
  role: 'vacancy_app' | 'vacancy_import',
): TransferDatabase {
  const database = openDatabase({
    ...{ url: ownerUrl, role, poolSize: 1, prepare: false, applicationName: 'vacancy transfer' },
    ...{ statementTimeoutMs: tenMinutesMs, lockTimeoutMs: 60_000, onError: () => {} },
  })
  return {
    transaction: (context, work) =>
      database.transaction(context, async (connection) => {
        // The text of a value, and so its checksum, is the same on every server. While one cell sorts a large table, a
        // transaction in the other waits.
        await connection.raw(
          `select set_config('timezone', 'UTC', true), set_config('bytea_output', 'hex', true),
            set_config('idle_in_transaction_session_timeout', '${tenMinutesMs}', true)`,
        )
        return await work(connection)
      }),
    [Symbol.asyncDispose]: () => database.close(),
  }
}

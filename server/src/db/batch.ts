import pg from 'pg'
import { types } from './connection-settings.ts'
import { recordAnswered, recordSent, streamOf } from './liveness.ts'

/** A statement as it is sent; with a name it is prepared once for a connection. */
export interface BoundStatement {
  readonly name?: string | undefined
  readonly text: string
  readonly values: readonly unknown[]
  /** Its rows are not read, so PostgreSQL need not describe them. */
  readonly isSilent?: boolean
}

export interface StatementResult {
  /** What PostgreSQL answers to the command, such as `COMMIT`. */
  readonly command: string
  readonly rows: unknown[]
}

/**
 * Sends the statements in one packet with one Sync at its end. PostgreSQL answers them together, and skips those after one
 * that fails. Outside of a transaction they are one, which ends with the Sync: `begin` and `commit` need not be sent.
 */
export function sendBatch(
  client: pg.PoolClient,
  statements: readonly BoundStatement[],
): Promise<StatementResult[]> {
  return new Promise<StatementResult[]>((resolve, reject) => {
    submit(client, statements, (error, results) => (error ? reject(error) : resolve(results!)))
  }).catch(withStack)
}

/** With an error, the results of the statements before the one that failed. */
export interface BatchResult {
  readonly error: Error | null
  readonly results: StatementResult[]
}

/** Sends several batches in one packet. Each ends with a Sync of its own, so it fails alone. */
export function sendBatches(
  client: pg.PoolClient,
  batches: readonly (readonly BoundStatement[])[],
): Promise<BatchResult>[] {
  const stream = streamOf(client)
  stream.cork()
  try {
    return batches.map((statements) =>
      new Promise<BatchResult>((resolve) => {
        submit(client, statements, (error, results = []) => resolve({ error, results }))
      }).catch((error: Error) => ({ error, results: [] })),
    )
  } finally {
    stream.uncork()
  }
}

/** Sends a statement of a transaction in one batch with the others of the same turn of the event loop. */
export type Send = (statement: BoundStatement) => Promise<StatementResult>

export function batchTurns(client: pg.PoolClient): { send: Send; flush(): void } {
  interface Waiting {
    readonly statement: BoundStatement
    readonly resolve: (result: StatementResult) => void
    readonly reject: (error: unknown) => void
  }
  let waiting: Waiting[] = []
  const flush = () => {
    if (waiting.length === 0) return
    const sent = waiting
    waiting = []
    const settle: Done = (error, results = []) =>
      sent.forEach(({ resolve, reject }, at) => (at < results.length ? resolve(results[at]!) : reject(error)))
    try {
      submit(
        client,
        sent.map(({ statement }) => statement),
        settle,
      )
    } catch (error) {
      settle(error as Error)
    }
  }
  return {
    flush,
    send: (statement) =>
      new Promise<StatementResult>((resolve, reject) => {
        if (waiting.push({ statement, resolve, reject }) === 1) process.nextTick(flush)
      }).catch(withStack),
  }
}

function submit(client: pg.PoolClient, statements: readonly BoundStatement[], done: Done): void {
  const batch = new Batch(statements, (error, results) => {
    recordAnswered(client)
    done(error, results)
  })
  recordSent(client)
  client.query(batch as unknown as pg.Submittable)
}

/** Sends a text with several statements, which cannot be prepared. Returns the rows of all of them. */
export async function sendSeveral(client: pg.PoolClient, text: string): Promise<unknown[]> {
  recordSent(client)
  try {
    const results = (await client.query(text)) as pg.QueryResult<object> | pg.QueryResult<object>[]
    return [results].flat().flatMap(({ rows }) => rows)
  } finally {
    recordAnswered(client)
  }
}

/** The stack of the driver ends at the socket; this one leads to the caller. */
function withStack(error: Error): never {
  Error.captureStackTrace(error)
  throw error
}

/** After an error: the results of the statements before the one that failed. */
type Done = (error: Error | null, results?: StatementResult[]) => void
type Parser = (text: string) => unknown

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** What the driver's connection has, beyond its types. */
interface DriverConnection {
  readonly stream: { cork(): void; uncork(): void }
  /** The texts of prepared statements by name: PostgreSQL has confirmed the first, and not yet the second. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(statement: { name: string; text: string }): void
  bind(portal: { statement: string; values: unknown[] }): void
  describe(portal: { type: 'P' }): void
  execute(): void
  sync(): void
}

/** The driver's class of a query: the client calls its methods with the answers of PostgreSQL. */
const DriverQuery = pg.Query as unknown as new (text: string) => {
  /** Of the statement whose answers arrive: the client remembers that it is prepared. */
  name: string | undefined
  text: string
  callback: Done
}
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

class Batch extends DriverQuery {
  readonly #statements: readonly BoundStatement[]
  readonly #values: unknown[][]
  readonly #results: StatementResult[] = []
  /** The names that this batch prepares. */
  readonly #preparing: string[] = []
  /** The names that its statements are sent with. */
  readonly #names: string[] = []
  #fields: readonly Field[] = []
  #parsers: Parser[] = []
  #rows: unknown[] = []
  /** A row that could not be converted, and how many statements were complete before. */
  #failure: { readonly error: Error; readonly after: number } | undefined

  constructor(statements: readonly BoundStatement[], done: Done) {
    super('') // an object, the driver would copy with the descriptors of its properties
    this.#statements = statements
    // Before anything is sent, because a value that cannot be converted throws.
    this.#values = statements.map(({ values }) => values.map((value) => prepareValue(value)))
    this.callback = done
  }

  submit(connection: DriverConnection): null {
    connection.stream.cork()
    this.#statements.forEach(({ name: givenName = '', text, isSilent }, at) => {
      const name = this.#isPreparedByOther(connection, givenName) ? '' : givenName
      this.#names.push(name)
      const { parsedStatements, submittedNamedStatements } = connection
      if (!(name in parsedStatements || name in submittedNamedStatements)) {
        connection.parse({ name, text })
        if (name) {
          submittedNamedStatements[name] = text
          this.#preparing.push(name)
        }
      }
      connection.bind({ statement: name, values: this.#values[at]! })
      if (!isSilent) connection.describe({ type: 'P' })
      connection.execute()
    })
    connection.sync()
    connection.stream.uncork()
    this.#expectAnswers()
    return null
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#fields = fields
    this.#parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text') as Parser)
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }): void {
    if (this.#failure) return
    const row: Record<string, unknown> = {}
    try {
      for (let at = 0; at < this.#fields.length; at++) {
        const text = texts[at]!
        row[this.#fields[at]!.name] = text === null ? null : this.#parsers[at]!(text)
      }
    } catch (error) {
      this.#failure = { error: error as Error, after: this.#results.length }
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#results.push({ command: text, rows: this.#rows })
    this.#expectAnswers()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure?.error ?? null, this.#results.slice(0, this.#failure?.after))
  }

  handleError(error: Error, connection: DriverConnection): void {
    // PostgreSQL has skipped the statements after the failed one, so they are not prepared.
    for (const name of this.#preparing) delete connection.submittedNamedStatements[name]
    this.callback(error, this.#results)
  }

  /** Whether a batch before this one on the connection prepares it, which may fail. */
  #isPreparedByOther(
    { parsedStatements, submittedNamedStatements }: DriverConnection,
    name: string,
  ): boolean {
    return name in submittedNamedStatements && !(name in parsedStatements) && !this.#preparing.includes(name)
  }

  /** For the next statement. */
  #expectAnswers(): void {
    const at = this.#results.length
    this.name = this.#names[at]
    this.text = this.#statements[at]?.text ?? ''
    this.#fields = []
    this.#rows = []
  }
}

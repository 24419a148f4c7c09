import { nextCursorOf } from './connect.ts'
import type { ApiResponse, Client, PageEnd, QueryValues, RequestArgs, StreamOptions } from './connect.ts'
import { followStream } from './follow-stream.ts'
import type { ApiEvent } from './follow-stream.ts'
import type { Operation, RequestData } from './operation.ts'

/** The query of an operation; a parameter with several values also takes one. */
export type Query<Data extends RequestData> = QueryValues<NonNullable<Data['query']>>

/** The result of a request: a promise of the data, or of the data with what the headers say. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<ApiResponse<T>>
}

export interface Page<T> {
  data: T[]
  /** For the `cursor` of the next request. The event feed has one after its last event too. */
  nextCursor: string | null
  hasMore: boolean
}

/** A list: awaited, it is one page; in `for await` it is every record, and pages are read as they are needed. */
export class List<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #readPage: (cursor: string | null) => Promise<Page<T>>

  constructor(readPage: (cursor: string | null) => Promise<Page<T>>) {
    this.#readPage = readPage
  }

  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#readPage(null).then(onFulfilled, onRejected)
  }

  async *pages(): AsyncGenerator<Page<T>, void> {
    let cursor: string | null = null
    do {
      const page: Page<T> = await this.#readPage(cursor)
      yield page
      cursor = page.hasMore ? page.nextCursor : null
    } while (cursor !== null)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const { data } of this.pages()) yield* data
  }
}

type ElementOf<T> = T extends readonly (infer One)[] ? One : never

/** What the generated resources have in common. */
export class Resource {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  protected request<Data extends RequestData, Reply>(
    operation: Operation<Data, Reply>,
    args: RequestArgs<Data>,
  ): ApiPromise<Reply> {
    return withResponse(this.#client.request(operation, args))
  }

  /** The record without the object around it. */
  protected requestRecord<Data extends RequestData, Reply, Member extends keyof Reply>(
    operation: Operation<Data, Reply>,
    member: Member,
    args: RequestArgs<Data>,
  ): ApiPromise<Reply[Member]> {
    const response = this.#client.request(operation, args)
    return withResponse(response.then(({ data, ...rest }) => ({ ...rest, data: data[member] })))
  }

  protected requestList<Data extends RequestData, Reply, Member extends keyof Reply>(
    operation: Operation<Data, Reply>,
    member: Member,
    args: RequestArgs<Data>,
  ): List<ElementOf<Reply[Member]>> {
    return new List(async (cursor) => {
      const query: object = { ...('query' in args && args.query), ...(cursor && { cursor }) }
      const reply = await this.#client.send(operation, { ...args, query })
      return {
        data: reply[member] as ElementOf<Reply[Member]>[],
        nextCursor: (reply as Partial<PageEnd>).next_cursor ?? null,
        hasMore: nextCursorOf(reply as Partial<PageEnd>) !== null,
      }
    })
  }

  protected requestFile<Data extends RequestData>(
    operation: Operation<Data, unknown>,
    args: RequestArgs<Data>,
  ): Promise<Blob> {
    return this.#client.download(operation, args)
  }

  protected followStream<Data extends RequestData>(
    operation: Operation<Data, unknown>,
    options: StreamOptions,
  ): AsyncGenerator<ApiEvent, void> {
    return followStream(this.#client, operation, options)
  }
}

const withResponse = <T>(response: Promise<ApiResponse<T>>): ApiPromise<T> => {
  const data = response.then((reply) => reply.data)
  return Object.assign(data, {
    withResponse: () => {
      // Nobody waits for the data alone any more.
      data.catch(() => {})
      return response
    },
  })
}

import { connect } from './connect.ts'
import type { Client, ClientOptions } from './connect.ts'
import { Resources } from './contract/resources.gen.ts'

/** The API of Vacancy: `new Vacancy({ baseUrl, token }).units.list()`. */
export class Vacancy extends Resources {
  /** Sends single operations: `vacancy.client.send(getUnit, { path: { id } })`. */
  readonly client: Client

  constructor(options: ClientOptions) {
    const client = connect(options)
    super(client)
    this.client = client
  }
}

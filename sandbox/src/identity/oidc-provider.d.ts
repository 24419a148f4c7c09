/** The part of oidc-provider that is used here; the package ships no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export type Client = { clientId: string; grantTypeAllowed(type: string): boolean }

  export type Context = {
    body: unknown
    type: string
    set(name: string, value: string): void
    oidc: {
      provider: Provider
      client: Client
      params: Record<string, string | undefined>
      session: { accountId: string; grantIdFor(clientId: string): string | undefined }
      result?: { consent?: { grantId?: string } }
      entity(name: string, value: unknown): void
    }
  }

  export type DeviceContext = { status: number; body: { interval?: number }; oidc?: { route?: string } }

  export type Token = { accountId?: string; clientId?: string; gty?: string }

  export type Interaction = { uid: string; prompt: { name: string }; params: Record<string, unknown> }

  export type Grant = {
    accountId: string
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export type AccessToken = {
    scope: string | undefined
    resourceServer: unknown
    expiration: number
    tokenType: string
    save(): Promise<string>
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    Grant: {
      new (of: { accountId: string; clientId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    AccessToken: new (of: { accountId: string; client: Client; gty: string }) => AccessToken
    ResourceServer: new (identifier: string, info: object) => object
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>
    interactionFinished(
      req: IncomingMessage,
      res: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>
    registerGrantType(name: string, handler: (ctx: Context) => Promise<void>, parameters: string[]): void
    use(middleware: (ctx: DeviceContext, next: () => Promise<void>) => Promise<void>): void
    on(event: 'server_error', listener: (ctx: Context, error: Error) => void): void
  }

  export const errors: {
    InvalidRequest: new (message: string) => Error
    InvalidGrant: new (message: string) => Error
    InvalidTarget: new (message: string) => Error
  }
}

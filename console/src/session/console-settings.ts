/** Where to sign in, and where the API is; served at `/console.json`. */
export interface ConsoleSettings {
  issuer: string
  client_id: string
  scope: string
  /** What the token is for, at providers that want to be told in this way (RFC 8707). */
  resource: string | null
  extra_params: Record<string, string>
  /** Whether a target of the generic provider needs no address of its own. */
  has_default_pms: boolean
  api_base: string
}

export const readSettings = async (): Promise<ConsoleSettings> => {
  const response = await fetch('/console.json', { headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The service answered ${response.status} instead of its settings.`)
  return (await response.json()) as ConsoleSettings
}

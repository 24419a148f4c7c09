import { withoutLastSlashes } from './addresses.ts'
import type { SettingName } from './setting-names.ts'
import type { readSettings } from './settings.ts'

export interface TelemetrySettings {
  readonly serviceName: string
  /** Where spans go, to the last slash; null lets none leave. */
  readonly tracesUrl: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** The share of traces that is kept although all went well. */
  readonly ratio: number
}

const web = ['http:', 'https:']
type Settings = ReturnType<typeof readSettings<SettingName>>

/** From the variables that OpenTelemetry states; what is said of traces wins over what is said of all signals. */
export function readTelemetry({ fault, given, list, number, url }: Settings): TelemetrySettings {
  const endpoint = url('OTEL_EXPORTER_OTLP_ENDPOINT', web)
  const headersOf = (name: SettingName) =>
    list(name).map((pair): [string, string] => {
      const at = pair.indexOf('=')
      try {
        if (at > 0) return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]
      } catch {
        // A percent sign that begins nothing: the same fault as below.
      }
      fault(name, 'must be name=value pairs with commas between them, the values percent-encoded.')
      return ['', '']
    })
  return {
    serviceName: given('OTEL_SERVICE_NAME') ?? 'vacancy',
    tracesUrl:
      url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', web) ??
      (endpoint && `${withoutLastSlashes(endpoint)}/v1/traces`),
    headers: Object.fromEntries([
      ...headersOf('OTEL_EXPORTER_OTLP_HEADERS'),
      ...headersOf('OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
    ]),
    timeoutMs: number('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 1, 60_000),
    ratio: number('OTEL_TRACES_SAMPLER_ARG', 0.1, 0, 1, false),
  }
}

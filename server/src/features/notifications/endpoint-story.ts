import type { AlertStory } from './stories.ts'

/** What an event says of a webhook endpoint that was switched off. */
export interface EndpointFacts {
  url: string
  description: string | null
  disabled_reason: 'gone' | 'failing'
  failing_since: string
}

/** An address may carry a secret: of an endpoint without a description only the host is told. */
export function endpointStory(organization: string, endpoint: EndpointFacts): AlertStory {
  const { url, description, disabled_reason, failing_since } = endpoint
  const name = description?.trim() || new URL(url).host
  return {
    organization,
    unitName: null,
    spaceName: null,
    targetName: name,
    message: `${name} ${whatItDid[disabled_reason]}`,
    hint: hints[disabled_reason],
    since: failing_since,
  }
}

const whatItDid = {
  gone: 'answered with 410: it wants no more events.',
  failing: 'did nothing but fail for five days.',
}

const goOn = 'set the endpoint to active, and replay the time that it missed.'
const hints = {
  gone: `Ask the partner behind it whether that is meant. If not, ${goOn}`,
  failing: `Ask the partner behind it. When it answers again, ${goOn}`,
}

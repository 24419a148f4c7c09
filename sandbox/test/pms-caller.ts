/** A valid unit with every member. */
export const loft = {
  name: 'Harbour Loft',
  type: 'apartment',
  bedrooms: 2,
  bathrooms: 1.5,
  max_guests: 4,
  quantity: 1,
  base_price_cents: 18_900,
  currency: 'eur',
  open: true,
  space: {
    name: 'Harbour House',
    address: 'Kaistraat 12',
    city: 'Antwerp',
    state: null,
    zip: '2000',
    country: 'BE',
    timezone: 'Europe/Brussels',
    description: null,
    amenities: ['wifi', 'lift'],
  },
}

/** Calls the running PMS and reads its answer. */
export function callerOf(url: () => string) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const res = await fetch(url() + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(text === undefined ? {} : { body: text }),
    })
    const raw = await res.text()
    return { status: res.status, headers: res.headers, body: raw === '' ? undefined : JSON.parse(raw) }
  }
}

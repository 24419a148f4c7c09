/** The fields that a file can have for each kind, with the names that other systems give their columns. */

interface ImportField {
  readonly required?: true
  /** In English, German and Portuguese. They are compared without case, accents and punctuation. */
  readonly names: string
}

const units = {
  reference: {
    names:
      'id, unit id, listing id, external id, external reference, property id, objektnummer, nummer, referenz, referencia, codigo',
  },
  name: {
    required: true,
    names:
      'unit, unit name, listing, listing name, title, room, einheit, bezeichnung, objekt, titel, zimmer, unidade, nome, alojamento, quarto, titulo',
  },
  space: {
    names:
      'space, property, property name, building, house, haus, anlage, unterkunft, gebaude, propriedade, edificio, empreendimento',
  },
  type: { names: 'unit type, property type, art, typ, objektart, tipo, tipologia' },
  bedrooms: { names: 'beds, number of bedrooms, schlafzimmer, anzahl schlafzimmer, quartos' },
  bathrooms: { names: 'baths, number of bathrooms, badezimmer, bader, casas de banho, banheiros' },
  max_guests: {
    names:
      'guests, capacity, sleeps, max occupancy, occupancy, persons, personen, max personen, gaste, max gaste, gastezahl, hospedes, max hospedes, capacidade, lotacao',
  },
  quantity: { names: 'rooms, units, count, number of units, anzahl, anzahl einheiten, quantidade' },
  base_price: {
    required: true,
    names:
      'base price cents, price, base rate, price per night, nightly price, nightly rate, rate, preis, grundpreis, preis pro nacht, preco, preco base, preco por noite, tarifa',
  },
  min_price: { names: 'min price cents, minimum price, mindestpreis, preco minimo' },
  currency: { names: 'currency code, wahrung, moeda' },
  address: { names: 'street, address 1, adresse, strasse, anschrift, morada, endereco, rua' },
  city: { names: 'town, stadt, ort, cidade, localidade' },
  state: { names: 'region, province, bundesland, estado, distrito' },
  zip: { names: 'zip code, postal code, postcode, plz, postleitzahl, codigo postal, cep' },
  country: { names: 'country code, land, pais' },
  timezone: { names: 'time zone, zeitzone, fuso horario' },
  description: { names: 'beschreibung, descricao' },
} as const satisfies Record<string, ImportField>

const unit = {
  required: true,
  names:
    'unit id, unit name, listing, listing id, listing name, room, property id, objekt, einheit, zimmer, unidade, alojamento, quarto',
} as const
const space = { names: units.space.names } as const

const rates = {
  unit,
  space,
  rate_plan: { names: 'plan, rate, rate plan name, tarif, ratenplan, plano, plano de tarifas, tarifario' },
  date_from: {
    required: true,
    names: 'date, day, night, from, start, start date, datum, tag, von, ab, data, dia, de, inicio',
  },
  date_to: { names: 'to, until, end, end date, last night, bis, ate, fim' },
  price: {
    names:
      'price cents, rate amount, price per night, nightly price, amount, preis, betrag, preco, valor, tarifa',
  },
  min_stay_arrival: {
    names:
      'min stay, minimum stay, min nights, minimum nights, mindestaufenthalt, min nachte, estadia minima, minimo de noites',
  },
  min_stay_through: { names: 'min stay through' },
  max_stay: {
    names:
      'maximum stay, max nights, maximum nights, hochstaufenthalt, max nachte, estadia maxima, maximo de noites',
  },
  closed_to_arrival: {
    names: 'cta, no arrival, no check in, keine anreise, anreise gesperrt, fechado para chegada',
  },
  closed_to_departure: {
    names: 'ctd, no departure, no check out, keine abreise, abreise gesperrt, fechado para partida',
  },
  stop_sell: { names: 'closed, stop sale, gesperrt, verkaufsstopp, fechado' },
} as const satisfies Record<string, ImportField>

const bookings = {
  reference: {
    names:
      'id, booking id, reservation id, confirmation code, external id, reservation number, booking number, buchungsnummer, reservierungsnummer, referenz, numero de reserva, codigo da reserva, referencia',
  },
  unit,
  space,
  guest_name: {
    required: true,
    names:
      'guest, name, guest full name, customer, gast, gastname, name des gastes, hospede, nome, nome do hospede, cliente',
  },
  guest_email: { names: 'email, e mail, mail, guest e mail, correio eletronico' },
  guest_phone: { names: 'phone, telephone, mobile, telefon, handy, telefone, telemovel' },
  arrival: {
    required: true,
    names:
      'check in, checkin, check in date, arrival date, from, start date, anreise, ankunft, von, chegada, entrada, data de chegada',
  },
  departure: {
    required: true,
    names:
      'check out, checkout, check out date, departure date, to, end date, abreise, bis, partida, saida, data de saida',
  },
  guests: {
    names: 'number of guests, persons, pax, adults, gaste, personen, hospedes, pessoas, numero de hospedes',
  },
  rooms: { names: 'number of rooms, anzahl zimmer, numero de quartos' },
  total: {
    names:
      'total cents, total price, price, amount, total amount, gesamtpreis, preis, betrag, gesamt, preco, preco total, valor, valor total',
  },
  currency: { names: units.currency.names },
  status: { names: 'state, booking status, buchungsstatus, estado, situacao' },
  notes: { names: 'note, comment, comments, notiz, notizen, bemerkung, notas, observacoes' },
} as const satisfies Record<string, ImportField>

export const importFields: Readonly<
  Record<'units' | 'rates' | 'bookings', Readonly<Record<string, ImportField>>>
> = {
  units,
  rates,
  bookings,
}

export type FieldName = keyof typeof units | keyof typeof rates | keyof typeof bookings
export const fieldNames = [
  ...new Set([units, rates, bookings].flatMap((fields) => Object.keys(fields) as FieldName[])),
]

export const requiredFields = (kind: keyof typeof importFields): string[] =>
  Object.entries(importFields[kind]).flatMap(([name, { required }]) => (required ? [name] : []))

/** The column of each field by the names of the columns; a column is used once. */
export function suggestMapping(
  kind: keyof typeof importFields,
  columns: readonly string[],
): { field: FieldName; column: string }[] {
  const free = new Map(columns.toReversed().map((column) => [normalized(column), column]))
  const fields = Object.entries(importFields[kind]) as [FieldName, ImportField][]
  const mapping: { field: FieldName; column: string }[] = []
  const take = (field: FieldName, names: readonly string[]) => {
    const name = names.find((one) => free.has(one))
    if (name === undefined || mapping.some((mapped) => mapped.field === field)) return
    mapping.push({ field, column: free.get(name)! })
    free.delete(name)
  }
  // Own names first, so that `name` is the name although `unit` may be one too.
  for (const [field] of fields) take(field, [normalized(field)])
  for (const [field, { names }] of fields) take(field, names.split(',').map(normalized))
  return mapping
}

const normalized = (name: string) =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

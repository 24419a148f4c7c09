import type { unitTypes } from '#features/inventory/units/unit.ts'

/** The demonstration portfolio of two operators. Prices are in minor units for one night. */
export interface DemoUnit {
  name: string
  type: (typeof unitTypes)[number]
  bedrooms: number
  bathrooms: number
  max_guests: number
  quantity?: number
  base_price_cents: number
}

export interface DemoSpace {
  name: string
  address: string
  city: string
  state: string | null
  zip: string
  country: string
  timezone?: string
  amenities: string[]
  description: string
  units: DemoUnit[]
}

const unit = (
  name: string,
  type: DemoUnit['type'],
  [bedrooms, bathrooms, max_guests]: [number, number, number],
  base_price_cents: number,
  quantity = 1,
): DemoUnit => ({ name, type, bedrooms, bathrooms, max_guests, base_price_cents, quantity })

const city = ['wifi', 'kitchen', 'air_conditioning', 'washer']

export const portfolio: Record<'first' | 'second', DemoSpace[]> = {
  first: [
    {
      name: 'Alfama Terraces',
      address: 'Rua dos Remédios 84',
      city: 'Lisboa',
      state: null,
      zip: '1100-452',
      country: 'PT',
      amenities: [...city, 'terrace'],
      description: 'Five restored flats around a tiled courtyard, ten minutes below the castle.',
      units: [
        unit('Fado Studio', 'studio', [0, 1, 2], 8_900),
        unit('Miradouro One', 'apartment', [1, 1, 3], 12_400),
        unit('Tejo Two', 'apartment', [2, 1.5, 5], 17_900),
        unit('Azulejo Loft', 'loft', [1, 1, 4], 15_200),
        unit('Sé Penthouse', 'apartment', [3, 2, 6], 28_500),
      ],
    },
    {
      name: 'Príncipe Real House',
      address: 'Rua da Escola Politécnica 27',
      city: 'Lisboa',
      state: null,
      zip: '1250-099',
      country: 'PT',
      amenities: [...city, 'elevator', 'garden'],
      description: 'A townhouse of 1890 with an old jacaranda, split into quiet apartments.',
      units: [
        unit('Garden Flat', 'apartment', [1, 1, 2], 13_900),
        unit('Jacaranda Suite', 'suite', [1, 1, 2], 16_400),
        unit('Library Apartment', 'apartment', [2, 2, 4], 21_900),
        unit('Attic Studio', 'studio', [0, 1, 2], 9_800),
      ],
    },
    {
      name: 'Ribeira 14',
      address: 'Cais da Ribeira 14',
      city: 'Porto',
      state: null,
      zip: '4050-509',
      country: 'PT',
      amenities: [...city, 'river_view'],
      description: 'Granite walls and the bridge in every window.',
      units: [
        unit('Douro Front', 'apartment', [2, 1, 4], 18_700),
        unit('Barredo Room', 'room', [1, 1, 2], 7_900, 3),
        unit('Ponte Loft', 'loft', [1, 1, 3], 14_300),
      ],
    },
    {
      name: 'Quinta do Lavrador',
      address: 'Estrada Nacional 222, km 141',
      city: 'Pinhão',
      state: null,
      zip: '5085-034',
      country: 'PT',
      amenities: ['wifi', 'pool', 'parking', 'breakfast', 'vineyard'],
      description: 'A working port estate: guest rooms in the old press house.',
      units: [
        unit('Vintage Room', 'room', [1, 1, 2], 14_500, 5),
        unit('Tawny Suite', 'suite', [1, 1, 3], 19_500, 2),
        unit('Press House', 'house', [4, 3, 8], 48_000),
      ],
    },
    {
      name: 'Ericeira Surf Lodge',
      address: 'Rua do Norte 6',
      city: 'Ericeira',
      state: null,
      zip: '2655-275',
      country: 'PT',
      amenities: ['wifi', 'kitchen', 'surf_storage', 'terrace'],
      description: 'Two streets from the break, boards and wetsuits in the hall.',
      units: [
        unit('Bunk in the Six', 'bed', [1, 1, 1], 2_900, 5),
        unit('Ribeira d’Ilhas Double', 'room', [1, 1, 2], 7_400, 4),
        unit('Coxos Apartment', 'apartment', [2, 1, 5], 13_600),
      ],
    },
    {
      name: 'Casa da Maré',
      address: 'Travessa da Praia 3',
      city: 'Tavira',
      state: null,
      zip: '8800-591',
      country: 'PT',
      amenities: ['wifi', 'kitchen', 'pool', 'parking', 'pets_allowed'],
      description: 'White walls, salt pans, and the ferry to the island.',
      units: [
        unit('Maré Alta', 'villa', [4, 3.5, 8], 42_000),
        unit('Maré Baixa', 'cottage', [2, 1, 4], 18_900),
      ],
    },
    {
      name: 'Funchal Heights',
      address: 'Caminho do Monte 112',
      city: 'Funchal',
      state: null,
      zip: '9050-208',
      country: 'PT',
      timezone: 'Atlantic/Madeira',
      amenities: ['wifi', 'kitchen', 'pool', 'sea_view'],
      description: 'Terraced gardens above the bay.',
      units: [
        unit('Levada Villa', 'villa', [3, 2, 6], 31_500),
        unit('Bay Studio', 'studio', [0, 1, 2], 9_200),
      ],
    },
  ],
  second: [
    {
      name: 'Juniper Ridge Cabins',
      address: '4180 Upper Bear Creek Rd',
      city: 'Evergreen',
      state: 'CO',
      zip: '80439',
      country: 'US',
      amenities: ['wifi', 'kitchen', 'fireplace', 'parking', 'hot_tub'],
      description: 'Log cabins among ponderosas, forty minutes from Denver.',
      units: [
        unit('Cabin One · Aspen', 'cabin', [1, 1, 2], 18_500),
        unit('Cabin Two · Spruce', 'cabin', [2, 1, 4], 23_900),
        unit('Cabin Three · Larch', 'cabin', [2, 1.5, 5], 26_400),
        unit('Ridge Lodge', 'chalet', [5, 4, 12], 79_000),
      ],
    },
    {
      name: 'Larimer Lofts',
      address: '1430 Larimer St',
      city: 'Denver',
      state: 'CO',
      zip: '80202',
      country: 'US',
      amenities: [...city, 'elevator', 'gym'],
      description: 'Brick warehouse lofts on the oldest block in town.',
      units: [
        unit('Loft 2A', 'loft', [1, 1, 2], 16_900),
        unit('Loft 2B', 'loft', [1, 1, 2], 16_900),
        unit('Loft 3C', 'loft', [2, 2, 4], 24_500),
        unit('Corner Studio', 'studio', [0, 1, 2], 12_900),
      ],
    },
    {
      name: 'Saltbox on Elk Avenue',
      address: '512 Elk Ave',
      city: 'Crested Butte',
      state: 'CO',
      zip: '81224',
      country: 'US',
      amenities: ['wifi', 'kitchen', 'ski_storage', 'sauna'],
      description: 'A miner’s house at the bottom of the shuttle line.',
      units: [
        unit('Whole Saltbox', 'house', [3, 2, 7], 46_500),
        unit('Carriage Flat', 'apartment', [1, 1, 2], 21_000),
      ],
    },
    {
      name: 'Mesa Verde Motor Court',
      address: '825 E Main St',
      city: 'Cortez',
      state: 'CO',
      zip: '81321',
      country: 'US',
      amenities: ['wifi', 'parking', 'air_conditioning', 'pets_allowed'],
      description: 'A 1950s motor court with new beds and the old neon.',
      units: [
        unit('Queen Room', 'room', [1, 1, 2], 8_900, 8),
        unit('Two-Queen Room', 'room', [1, 1, 4], 10_900, 6),
        unit('Kitchenette', 'room', [1, 1, 3], 11_900, 4),
      ],
    },
    {
      name: 'Red Cliffs Ranch',
      address: '2200 Kane Creek Blvd',
      city: 'Moab',
      state: 'UT',
      zip: '84532',
      country: 'US',
      amenities: ['wifi', 'kitchen', 'parking', 'fire_pit', 'pool'],
      description: 'Adobe casitas under the rim, bikes welcome.',
      units: [
        unit('Casita Sol', 'cottage', [1, 1, 3], 19_800),
        unit('Casita Luna', 'cottage', [1, 1, 3], 19_800),
        unit('Ranch House', 'house', [4, 3, 9], 54_000),
        unit('Bunkhouse', 'dorm', [1, 2, 10], 32_000),
        unit('Airstream', 'other', [1, 1, 2], 14_900),
      ],
    },
  ],
}

export const guests = [
  'Sofia Almeida',
  'Jonas Weber',
  'Chloé Martin',
  'Emma Johansson',
  'Luca Bianchi',
  'Hana Suzuki',
  'Noah Williams',
  'Amelia Clarke',
  'Mateo García',
  'Freja Nielsen',
  'Oliver Brown',
  'Nadia Haddad',
  'Pieter de Vries',
  'Grace Okafor',
  'Ethan Miller',
  'Isabella Rossi',
  'Samuel Cohen',
  'Yuki Tanaka',
  'Maya Patel',
  'Leon Fischer',
]

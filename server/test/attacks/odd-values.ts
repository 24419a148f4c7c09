import fc from 'fast-check'

/** Texts, numbers and structures that are known to break programs. */

const oddCharacters = [
  ...[
    'a',
    ' ',
    '\n',
    '\r\n',
    '\0',
    '\u0007',
    '\u007f',
    '\ud800',
    '\udfff',
    '\ufeff',
    '\u200b',
    '\u202e',
    '\u2028',
  ],
  ...['🏠', '👩‍🚀', 'ﷺ', 'Å', 'ı', "'", '"', '%', '\\', '<', '{', '$', '`', ';'],
]

export const oddText = fc.string({ unit: fc.constantFrom(...oddCharacters), maxLength: 20 })

const attackers = [
  ...[
    'infinity',
    '-infinity',
    'NaN',
    'now',
    'today',
    '1e400',
    '-0',
    '0x10',
    '1_000',
    'null',
    'undefined',
    'true',
  ],
  ...[
    '300000-01-01T00:00:00Z',
    '0000-00-00',
    '2024-02-30',
    '-000001-01-01',
    '24:00',
    '2030-07-01T00:00:00+99:99',
  ],
  ...[
    '../..',
    '/etc/passwd',
    '{{7*7}}',
    '${7*7}',
    "' or 1=1 --",
    '"; drop table spaces; --',
    '<script>',
    '%00',
    '%s%n',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '[object Object]',
    'a\r\nX-A: b',
    '=1+1',
  ],
]

export const oddTexts = fc.oneof(
  oddText,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(...attackers),
  fc.constantFrom(255, 256, 1_000, 10_001, 70_000).map((length) => 'x'.repeat(length)),
  fc.constantFrom(64, 300).map((length) => '👩‍🚀'.repeat(length)),
)

export const oddNumbers = fc.constantFrom(
  ...[
    0,
    -0,
    -1,
    0.1,
    -0.5,
    1e-7,
    5e-324,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31) - 1,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
  ],
  ...[-(2 ** 53) - 2, -(2 ** 63), 2 ** 63, 2 ** 64, 1e21, 1e300, 1.797e308, -1.797e308],
)

/** Dates and times at the limits, and just beyond them. */
export const oddDates = fc.constantFrom(
  ...[
    '1969-12-31',
    '1970-01-01',
    '2200-12-31',
    '2201-01-01',
    '2024-02-29',
    '2023-02-29',
    '2030-04-31',
    '9999-12-31',
  ],
  ...['1970-01-01T00:00:00Z', '2200-12-31T23:59:59.999Z', '2030-07-01T23:59:60Z', '2030-07-01T24:00:00Z'],
  ...[
    '2030-07-01T15:00:00',
    '2030-07-01T15:00:00+14:00',
    '2030-07-01T15:00:00.123456789Z',
    '2030-7-1',
    ' 2030-07-01',
  ],
)

const deep = fc
  .tuple(fc.constantFrom(8, 31, 32, 33, 200), fc.boolean())
  .map(([levels, isList]) =>
    Array.from({ length: levels }).reduce<unknown>((inner) => (isList ? [inner] : { a: inner }), 1),
  )

const pollution = fc
  .constantFrom(
    ...['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}', '{"toJSON":1}'],
    ...['{"length":1e9}', '{"then":{}}', '{"$gt":""}', '{"":""}'],
  )
  .map((text) => JSON.parse(text) as unknown)

export const oddValues: fc.Arbitrary<unknown> = fc.oneof(
  oddTexts,
  oddNumbers,
  oddDates,
  fc.constantFrom<unknown>(true, false, null, [], {}, [[]], [null], ''),
  deep,
  pollution,
  fc.jsonValue({ maxDepth: 3 }),
)

/** Header values that the HTTP client accepts. */
export const oddHeaders = fc.constantFrom(
  ...[
    '*',
    '',
    'x',
    ',',
    '"',
    '"key"',
    '"1.x"',
    'W/"1"',
    '"a", "b"',
    '"a" "b"',
    'W/',
    '\u00ff',
    'a b',
    'k'.repeat(300),
  ],
  ...['"' + 'x'.repeat(8_000) + '"', Array<string>(500).fill('"x"').join(',')],
)

const from = `from units u join spaces s on s.org_id = u.org_id and s.id = u.space_id
  where u.org_id = $1 order by u.created_at, u.id limit 20`
export const spaceColumns = [
  ...[
    'id',
    'org_id',
    'account_id',
    'name',
    'address',
    'city',
    'state',
    'zip',
    'country',
    'amenities',
    'description',
  ],
  ...['status', 'timezone', 'currency', 'created_at', 'updated_at'],
]
export const unitColumns = `u.id, u.org_id, u.account_id, u.space_id, u.name, u.type, u.bedrooms, u.bathrooms, u.max_guests,
  u.quantity, u.base_price_cents, u.min_price_cents, u.base_price_cents = 0 as free_of_charge, u.currency, u.status,
  u.created_at, u.updated_at`

/** 20 units of the product's tables as columns, which `nestedUnit` nests. */
export const unitsAsColumns = `select ${unitColumns}, ${spaceColumns.map((name) => `s.${name} as space_${name}`).join(', ')} ${from}`

/** The same as JSON that PostgreSQL builds. */
export const unitsAsJson = `select json_build_object('units', json_agg(json_build_object('id', u.id, 'org_id', u.org_id,
          'account_id', u.account_id, 'space_id', u.space_id, 'name', u.name, 'type', u.type, 'bedrooms', u.bedrooms,
          'bathrooms', trim_scale(u.bathrooms), 'max_guests', u.max_guests, 'quantity', u.quantity,
          'base_price_cents', u.base_price_cents, 'min_price_cents', u.min_price_cents,
          'free_of_charge', u.free_of_charge, 'currency', u.currency, 'status', u.status,
          'created_at', iso(u.created_at), 'updated_at', iso(u.updated_at), 'space', json_build_object('id', u.s_id,
          'org_id', u.org_id, 'account_id', u.s_account_id, 'name', u.s_name, 'address', u.address, 'city', u.city,
          'state', u.state, 'zip', u.zip, 'country', u.country, 'amenities', u.amenities, 'description', u.description,
          'status', u.s_status, 'timezone', u.timezone, 'currency', u.s_currency, 'created_at', iso(u.s_created_at),
          'updated_at', iso(u.s_updated_at)))))::text as json
          from (select ${unitColumns}, s.id as s_id, s.account_id as s_account_id, s.name as s_name, s.address, s.city,
            s.state, s.zip, s.country, s.amenities, s.description, s.status as s_status, s.timezone,
            s.currency as s_currency, s.created_at as s_created_at, s.updated_at as s_updated_at ${from}) u`

/** PostgreSQL's numeric and bigint come as text. */
const numeric = new Set(['bathrooms', 'base_price_cents', 'min_price_cents'])

export function nestedUnit(row: Record<string, unknown>) {
  const unit: Record<string, unknown> = {}
  const space: Record<string, unknown> = {}
  for (const name in row)
    if (name !== 'space_id' && name.startsWith('space_')) space[name.slice(6)] = row[name]
    else unit[name] = numeric.has(name) && row[name] !== null ? Number(row[name]) : row[name]
  // `space_id` is the column of the unit.
  return { ...unit, space: { ...space, id: row['space_id'] } }
}

import type { Statement } from '#db/sql.ts'
import { asOwner } from '#features/tenancy/provisioning/provision.ts'
import type { World } from './world.ts'

/** Runs a statement as a superuser, for whom row-level security does not hold. */
export const runSql = <Row>({ config }: Pick<World, 'config'>, statement: Statement<Row>) =>
  asOwner(config, (connection) => connection.run(statement))

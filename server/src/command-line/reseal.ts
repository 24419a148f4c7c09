// Rotation of SECRET_KEYS: what older keys sealed is sealed with the first one.
import { resealAll, type Unopened } from '#features/sealed-values/reseal.ts'
import { configOf } from './product.ts'
import type { Surroundings } from './surroundings.ts'

export async function resealSecrets(around: Surroundings, asJson: boolean) {
  const config = configOf(around)
  const result = await resealAll(config, ({ values, resealed }) => {
    if (!asJson && around.complain.isTTY) around.complain.write(`\r${values} seen, ${resealed} sealed anew`)
  })
  const { values, resealed, unopened } = result
  const done = `Sealed ${resealed} of ${values} stored secrets anew with the key ${config.secrets.keys[0]!.id}.`
  const text = [done, ...unopened.map(inWords)].join('\n')
  return { facts: { ...result, ok: unopened.length === 0 }, text, isWhole: unopened.length === 0 }
}

const inWords = ({ kind, id, org_id, key }: Unopened) =>
  `Cannot open that of ${kind.replace('_', ' ')} ${id} (organization ${org_id}), sealed with the key ${key}: ` +
  'give SECRET_KEYS that key back, or enter the secret again.'

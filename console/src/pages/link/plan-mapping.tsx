import type { ChannelTarget } from '@vacancy/client'

import { useMessages } from '../../i18n/language.tsx'
import { planIdFor } from './match.ts'
import type { Offer, RatePlan } from './match.ts'
import { linkMessages } from './messages.ts'
import styles from './link.module.css'

interface ProviderTraits {
  hasPlans: boolean
  /** The price of the room itself is the one of the default plan. */
  roomHasTerms: boolean
  /** The PMS takes ids that we choose, so that a plan can be new there. */
  acceptsOurIds: boolean
}

const traits = {
  generic: { hasPlans: true, roomHasTerms: true, acceptsOurIds: true },
  channex: { hasPlans: true, roomHasTerms: false, acceptsOurIds: false },
  hostaway: { hasPlans: false, roomHasTerms: true, acceptsOurIds: false },
} satisfies Record<string, ProviderTraits>

export const providerTraits = ({ config }: ChannelTarget): ProviderTraits =>
  traits[config.provider ?? 'generic']

interface PlanMappingProps {
  traits: ProviderTraits
  offer: Offer | null
  plans: readonly RatePlan[]
  /** The plan at the PMS for each of ours; an empty text is not linked. */
  mapping: Record<string, string>
  onChange: (change: Record<string, string>) => void
}

/** Which of our rate plans is which plan at the PMS, folded until somebody wants to correct it. */
export const PlanMapping = ({ traits: has, offer, plans, mapping, onChange }: PlanMappingProps) => {
  const text = useMessages(linkMessages)
  if (!has.hasPlans || (plans.length <= 1 && has.roomHasTerms))
    return <span className={styles.quiet}>{text('noPlans')}</span>
  const isMapped = ({ id, is_default }: RatePlan) => Boolean(mapping[id]) || (is_default && has.roomHasTerms)
  const mapped = plans.filter(isMapped).length
  return (
    <details className={styles.plans} data-warn={mapped < plans.length}>
      <summary>{text('planCount', { mapped, all: plans.length })}</summary>
      {plans.map((plan) => {
        const { id, name, is_default } = plan
        const ownId = planIdFor(plan, offer)
        const offered = offer?.rate_plans ?? []
        return (
          <label key={id} className={styles.plan}>
            <span>{name}</span>
            <select
              aria-label={text('planFor', { name })}
              value={mapping[id] ?? ''}
              onChange={({ currentTarget: { value } }) => onChange({ [id]: value })}
            >
              <option value="">{text(is_default && has.roomHasTerms ? 'planRoom' : 'planNone')}</option>
              {offered.map((one) => (
                <option key={one.external_id} value={one.external_id}>
                  {one.name}
                </option>
              ))}
              {has.acceptsOurIds && !offered.some(({ external_id }) => external_id === ownId) && (
                <option value={ownId}>{text('planNew', { id: ownId })}</option>
              )}
            </select>
          </label>
        )
      })}
    </details>
  )
}

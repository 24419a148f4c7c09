import type { ComponentType } from 'react'

import styles from './badge.module.css'

export type Tone = 'ok' | 'busy' | 'wait' | 'bad' | 'still'

interface BadgeProps {
  tone: Tone
  icon: ComponentType
  children: string
}

/** A state as icon, word and colour; each of them is enough on its own. */
export const Badge = ({ tone, icon: Icon, children }: BadgeProps) => (
  <span className={styles.badge} data-tone={tone}>
    <Icon />
    {children}
  </span>
)

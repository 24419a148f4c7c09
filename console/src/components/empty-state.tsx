import type { ReactNode } from 'react'

import styles from './empty-state.module.css'

interface EmptyStateProps {
  title: string
  children?: ReactNode
  action?: ReactNode
  tone?: 'calm' | 'bad'
  /** Whether it fills the whole page, so that its title is the page's heading. */
  isPage?: boolean
}

/** Why a place is empty or broken, and what to do about it. */
export const EmptyState = ({ title, children, action, tone = 'calm', isPage = false }: EmptyStateProps) => (
  <div className={styles.box} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
    {isPage ? <h1 className={styles.title}>{title}</h1> : <p className={styles.title}>{title}</p>}
    {children && <div className={styles.text}>{children}</div>}
    {action && <div className={styles.actions}>{action}</div>}
  </div>
)

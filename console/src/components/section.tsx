import { useId } from 'react'
import type { ReactNode } from 'react'

import styles from './section.module.css'

interface SectionProps {
  title: string
  actions?: ReactNode
  children: ReactNode
}

/** A titled card of a detail page. */
export const Section = ({ title, actions, children }: SectionProps) => {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </section>
  )
}

/** Names and values in two aligned columns. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className={styles.facts}>{children}</dl>

interface FactProps {
  name: ReactNode
  /** Less important than the value, at the end of the line: when it was, where it comes from. */
  note?: ReactNode
  children: ReactNode
}

export const Fact = ({ name, note, children }: FactProps) => (
  <div className={styles.fact}>
    <dt>{name}</dt>
    <dd>
      <span className={styles.value}>{children}</span>
      {note && <span className={styles.note}>{note}</span>}
    </dd>
  </div>
)

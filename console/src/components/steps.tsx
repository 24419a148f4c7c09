import { Check } from './icons.tsx'
import styles from './steps.module.css'

interface StepsProps {
  label: string
  names: readonly string[]
  /** The index of the step that is shown; those before it are done. */
  current: number
}

/** How far a person is in something that takes several screens. */
export const Steps = ({ label, names, current }: StepsProps) => (
  <ol className={styles.steps} aria-label={label}>
    {names.map((name, index) => (
      <li
        key={name}
        data-done={index < current || undefined}
        aria-current={index === current ? 'step' : undefined}
      >
        <span className={styles.mark} aria-hidden="true">
          {index < current ? <Check /> : index + 1}
        </span>
        {name}
      </li>
    ))}
  </ol>
)

import { Steps } from '../../components/steps.tsx'
import { useMessages } from '../../i18n/language.tsx'
import { importMessages } from './messages.ts'

const steps = { source: 'stepSource', plan: 'stepPlan', run: 'stepRun', report: 'stepReport' } as const
export type ImportStep = keyof typeof steps

/** The steps of an import, and which one is shown. */
export const ImportSteps = ({ current }: { current: ImportStep }) => {
  const text = useMessages(importMessages)
  const names = Object.keys(steps) as ImportStep[]
  return (
    <Steps
      label={text('steps')}
      names={names.map((name) => text(steps[name]))}
      current={names.indexOf(current)}
    />
  )
}

import { useMessages } from '../i18n/language.tsx'
import { ButtonLink } from './button-link.tsx'
import { componentMessages } from './component-messages.ts'
import { EmptyState } from './empty-state.tsx'

/** What a screen that shows units says before there is one. */
export const NoUnits = () => {
  const text = useMessages(componentMessages)
  return (
    <EmptyState
      title={text('noUnits')}
      action={
        <>
          <ButtonLink to="/units/new">{text('addUnit')}</ButtonLink>
          <ButtonLink to="/import" variant="default">
            {text('importUnits')}
          </ButtonLink>
        </>
      }
    >
      {text('noUnitsText')}
    </EmptyState>
  )
}

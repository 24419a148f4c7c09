import { useState } from 'react'
import { Button } from '@mantine/core'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { ChevronDown } from './icons.tsx'
import { loadedPart } from './loaded-part.tsx'
import type { SavedViewsProps } from './saved-views-menu.tsx'

const SavedViewsMenu = loadedPart<SavedViewsProps<object>>(
  async () => (await import('./saved-views-menu.tsx')).SavedViewsMenu,
)

/**
 * The filters that a person keeps under a name, in this browser and for this organization. The list is loaded when it
 * is first opened.
 */
export const SavedViews = <F extends object>({ screen, filter, onFilter }: SavedViewsProps<F>) => {
  const text = useMessages(componentMessages)
  const [isOpened, setOpened] = useState(false)
  const button = (
    <Button
      variant="default"
      rightSection={<ChevronDown />}
      aria-haspopup="dialog"
      onClick={() => setOpened(true)}
    >
      {text('views')}
    </Button>
  )
  if (!isOpened) return button
  return (
    <SavedViewsMenu
      screen={screen}
      filter={filter}
      onFilter={onFilter as (filter: object) => void}
      placeholder={button}
      onMissing={() => setOpened(false)}
    />
  )
}

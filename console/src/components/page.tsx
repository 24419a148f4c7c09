import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { Link, useRouterState } from '@tanstack/react-router'
import type { LinkProps, ParsedLocation } from '@tanstack/react-router'

import { useMessages } from '../i18n/language.tsx'
import { componentMessages } from './component-messages.ts'
import { ChevronLeft } from './icons.tsx'
import { DeletedNote, isDeleted } from './record-fallback.tsx'
import styles from './page.module.css'

interface PageProps {
  title: string
  /** The title of the browser tab, when it says more than the heading. */
  tabTitle?: string
  /** One line under or beside the title: counts, a state. */
  summary?: ReactNode
  /** The list that a detail page belongs to. */
  back?: { link: LinkProps; place: string }
  actions?: ReactNode
  /** Why the record that the screen shows could not be read again. */
  readError?: unknown
  filters?: ReactNode
  /** The `SavedViews` of the filters, at their end. */
  views?: ReactNode
  /** `narrow` for forms and text; a table uses the full width. */
  width?: 'full' | 'narrow'
  children: ReactNode
}

/** The screen that was shown last without a way back: a list, with its filters. */
let lastList: ParsedLocation | undefined

/** The frame of a screen: heading, actions, filters, content. */
export const Page = ({
  title,
  tabTitle = title,
  summary,
  back,
  actions,
  readError = null,
  filters,
  views,
  width = 'full',
  children,
}: PageProps) => {
  const text = useMessages(componentMessages)
  const location = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation })
  useEffect(() => {
    if (!back) lastList = location
  }, [back, location])
  return (
    <div className={styles.page} data-width={width}>
      <title>{`${tabTitle} · Vacancy`}</title>
      {back && (
        <Link
          {...(lastList && lastList.pathname === back.link.to && ({ search: lastList.search } as LinkProps))}
          {...back.link}
          className={styles.back}
          aria-label={text('back', { place: back.place })}
        >
          <ChevronLeft />
          {back.place}
        </Link>
      )}
      <div className={styles.head}>
        <div className={styles.heading}>
          <h1 className={styles.title}>{title}</h1>
          {summary && <div className={styles.summary}>{summary}</div>}
        </div>
        {actions && (
          // A dialog of theirs that is open stays, with what was typed in it.
          <div className={styles.actions} hidden={isDeleted(readError)}>
            {actions}
          </div>
        )}
      </div>
      {filters && (
        <div className={styles.filters}>
          {filters}
          {views && <div className={styles.views}>{views}</div>}
        </div>
      )}
      <DeletedNote error={readError} />
      {children}
    </div>
  )
}

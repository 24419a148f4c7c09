import type { ReactNode } from 'react'

import look from './message.module.css'

interface MessageProps {
  title: string
  children?: ReactNode
  action?: ReactNode
  tone?: 'calm' | 'bad'
}

/** Says in the middle of an empty place why it is empty, and what to do. */
export const Message = ({ title, children, action, tone = 'calm' }: MessageProps) => (
  <div className={look.message} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
    <p className={look.title}>{title}</p>
    {children && <div className={look.text}>{children}</div>}
    {action}
  </div>
)

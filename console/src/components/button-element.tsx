import type { ComponentPropsWithRef } from 'react'

type ButtonElementProps = ComponentPropsWithRef<'button'> & { 'data-loading'?: boolean }

/**
 * The element of all buttons. One that is loading can do nothing, but keeps the focus: a disabled element loses it, and
 * who works by keyboard would begin at the top of the page again.
 */
export const ButtonElement = ({
  'data-loading': isLoading,
  type = 'button',
  disabled,
  onClick,
  ...props
}: ButtonElementProps) => (
  <button
    {...props}
    {...(isLoading ? { 'data-loading': true, 'aria-disabled': true } : { disabled })}
    type={type}
    // Also stops a form that Enter in a field would submit again.
    onClick={(event) => (isLoading ? event.preventDefault() : onClick?.(event))}
  />
)

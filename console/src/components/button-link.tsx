import type { ComponentPropsWithRef } from 'react'
import { Button } from '@mantine/core'
import type { ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

const AnchorButton = (props: ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>) => (
  <Button component="a" {...props} />
)

/** A link that looks like a button: `<ButtonLink to="/channels/$channelId" params={{ channelId }}>`. */
export const ButtonLink = createLink(AnchorButton)

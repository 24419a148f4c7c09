import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/default-css-variables.layer.css'
import '@mantine/core/styles/global.layer.css'
import '@mantine/core/styles/UnstyledButton.layer.css'
import '@mantine/core/styles/Loader.layer.css'
import '@mantine/core/styles/Button.layer.css'
import '@mantine/core/styles/CloseButton.layer.css'
import '@mantine/core/styles/Input.layer.css'
import '@mantine/core/styles/Overlay.layer.css'
import '@mantine/core/styles/Paper.layer.css'
import '@mantine/core/styles/ModalBase.layer.css'
import '@mantine/core/styles/Modal.layer.css'
import '@mantine/core/styles/Drawer.layer.css'
import '@mantine/core/styles/Popover.layer.css'
import '@mantine/core/styles/Menu.layer.css'
import '@mantine/core/styles/Kbd.layer.css'
import './styles.css'

import { Button, createTheme } from '@mantine/core'
import type { CSSVariablesResolver } from '@mantine/core'

import { ButtonElement } from './components/button-element.tsx'

/** Mantine in our own colours: its default ones miss the contrast of WCAG AA. */
export const theme = createTheme({
  colors: {
    teal: [
      '#e9f5f2',
      '#cfe8e2',
      '#a3d5ca',
      '#74cdbf',
      '#4aa99b',
      '#2f8a7e',
      '#20756b',
      '#17605a',
      '#124d48',
      '#0d3a37',
    ],
  },
  primaryColor: 'teal',
  primaryShade: 7,
  defaultRadius: 8,
  fontFamily: 'var(--face)',
  fontFamilyMonospace: 'var(--mono)',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { component: ButtonElement } }),
  },
})

const overrides = {
  '--mantine-color-body': 'var(--card)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-faint)',
  '--mantine-color-placeholder': 'var(--ink-faint)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-default': 'var(--card)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-hover': 'var(--sunk)',
  '--mantine-color-default-border': 'var(--line-strong)',
}

export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: overrides, dark: overrides })

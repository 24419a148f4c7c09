import { defineMessages } from '../i18n/messages.ts'

export const syncStateMessages = defineMessages({
  en: { failed: 'Failed', syncing: 'Syncing', waiting: 'Waiting', 'in-sync': 'In sync', paused: 'Paused' },
  de: {
    failed: 'Fehler',
    syncing: 'Überträgt',
    waiting: 'Wartet',
    'in-sync': 'Aktuell',
    paused: 'Angehalten',
  },
  pt: {
    failed: 'Falhou',
    syncing: 'A enviar',
    waiting: 'Em espera',
    'in-sync': 'Em dia',
    paused: 'Em pausa',
  },
})

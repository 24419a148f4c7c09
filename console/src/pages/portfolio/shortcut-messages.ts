import { defineMessages } from '../../i18n/messages.ts'

export const shortcutMessages = defineMessages({
  en: {
    title: 'Keyboard shortcuts',
    close: 'Close',
    search: 'Search',
    move: 'Next and previous unit',
    edit: 'Change the price of the unit',
    cancel: 'Close, or leave the price as it was',
    sheet: 'This list',
  },
  de: {
    title: 'Tastenkürzel',
    close: 'Schließen',
    search: 'Suchen',
    move: 'Nächste und vorherige Einheit',
    edit: 'Preis der Einheit ändern',
    cancel: 'Schließen oder den Preis unverändert lassen',
    sheet: 'Diese Liste',
  },
  pt: {
    title: 'Atalhos de teclado',
    close: 'Fechar',
    search: 'Procurar',
    move: 'Unidade seguinte e anterior',
    edit: 'Alterar o preço da unidade',
    cancel: 'Fechar ou manter o preço',
    sheet: 'Esta lista',
  },
})

import { defineMessages } from '../../i18n/messages.ts'

/** Why a stay cannot be sold, by the restriction that it violates. */
export const unavailableMessages = defineMessages({
  en: {
    no_room:
      '{limit, plural, =0 {No room is free} one {Only # room is free} other {Only # rooms are free}}: {dates}',
    stop_sell: 'Not for sale: {dates}',
    sales_stop: 'Sales of the unit are stopped',
    closed_to_arrival: 'No arrival: {dates}',
    closed_to_departure: 'No departure: {dates}',
    min_stay_arrival: 'Arrival {dates}: at least {limit, plural, one {# night} other {# nights}}',
    min_stay_through: 'Stay over {dates}: at least {limit, plural, one {# night} other {# nights}}',
    max_stay: 'Arrival {dates}: at most {limit, plural, one {# night} other {# nights}}',
  },
  de: {
    no_room:
      '{limit, plural, =0 {Kein Zimmer frei} one {Nur # Zimmer frei} other {Nur # Zimmer frei}}: {dates}',
    stop_sell: 'Nicht im Verkauf: {dates}',
    sales_stop: 'Der Verkauf der Einheit ist gestoppt',
    closed_to_arrival: 'Keine Anreise: {dates}',
    closed_to_departure: 'Keine Abreise: {dates}',
    min_stay_arrival: 'Anreise {dates}: mindestens {limit, plural, one {# Nacht} other {# Nächte}}',
    min_stay_through: 'Aufenthalt über {dates}: mindestens {limit, plural, one {# Nacht} other {# Nächte}}',
    max_stay: 'Anreise {dates}: höchstens {limit, plural, one {# Nacht} other {# Nächte}}',
  },
  pt: {
    no_room:
      '{limit, plural, =0 {Nenhum quarto livre} one {Só # quarto livre} other {Só # quartos livres}}: {dates}',
    stop_sell: 'Não está à venda: {dates}',
    sales_stop: 'As vendas da unidade estão suspensas',
    closed_to_arrival: 'Sem chegadas: {dates}',
    closed_to_departure: 'Sem partidas: {dates}',
    min_stay_arrival: 'Chegada {dates}: no mínimo {limit, plural, one {# noite} other {# noites}}',
    min_stay_through: 'Estadia em {dates}: no mínimo {limit, plural, one {# noite} other {# noites}}',
    max_stay: 'Chegada {dates}: no máximo {limit, plural, one {# noite} other {# noites}}',
  },
})

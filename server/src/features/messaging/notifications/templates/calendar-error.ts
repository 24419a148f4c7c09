import { alertTemplate } from './alert.ts'

export const calendarImportError = alertTemplate({
  en: [
    'An imported calendar cannot be read',
    'Until it can be read again, reservations that are made there do not block nights here, and could be sold a second time.',
  ],
  de: [
    'Ein importierter Kalender ist nicht lesbar',
    'Bis er wieder gelesen werden kann, sperren neue Reservierungen von dort hier keine Nächte: Sie könnten ein zweites Mal verkauft werden.',
  ],
  fr: [
    'Un calendrier importé est illisible',
    'Tant qu’il ne peut pas être lu, les réservations faites là-bas ne bloquent aucune nuit ici : elles pourraient être vendues une seconde fois.',
  ],
  es: [
    'No se puede leer un calendario importado',
    'Mientras no se pueda leer, las reservas que se hagan allí no bloquean noches aquí y podrían venderse otra vez.',
  ],
  pt: [
    'Não é possível ler um calendário importado',
    'Enquanto não puder ser lido, as reservas feitas lá não bloqueiam noites aqui e poderiam ser vendidas outra vez.',
  ],
})

import { alertTemplate } from './alert.ts'

export const bookingConflict = alertTemplate({
  en: [
    'Booking conflict',
    'A booking arrived for nights that are not available, or for an unknown unit. It was not rejected: please decide what to do.',
  ],
  de: [
    'Eine Buchung passt nicht',
    'Es kam eine Buchung für Nächte herein, die nicht frei sind, oder für eine unbekannte Unterkunft. Niemandem wurde deshalb abgesagt: Ein Mensch muss entscheiden.',
  ],
  fr: [
    'Une réservation ne convient pas',
    'Une réservation est arrivée pour des nuits qui ne sont pas libres ou pour un hébergement inconnu. Personne n’a été décommandé pour autant : quelqu’un doit décider.',
  ],
  es: [
    'Una reserva no encaja',
    'Ha llegado una reserva para noches que no están libres o para un alojamiento desconocido. No se ha cancelado a nadie por ello: alguien tiene que decidir.',
  ],
  pt: [
    'Há uma reserva em conflito',
    'Chegou uma reserva para noites que não estão livres ou para um alojamento desconhecido. Ninguém foi cancelado por isso: alguém tem de decidir.',
  ],
})

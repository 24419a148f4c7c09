import type { BookingData, Template } from '../template.ts'
import { unitAndSpace, stayFacts } from './stay.ts'

export const bookingChangedToGuest: Template<BookingData> = {
  tone: 'plain',
  facts: stayFacts('guest'),
  texts: {
    en: (data, format) => ({
      subject: `Your stay at ${data.spaceName} has changed`,
      heading: 'Your stay has changed',
      paragraphs: [`Dear ${data.guestName},`, 'your booking was changed. These are the current details.'],
      short: `${data.organization}: your stay at ${unitAndSpace(data)} has changed, now ${format.day(data.checkIn)} to ${format.day(data.checkOut)}.`,
    }),
    de: (data, format) => ({
      subject: `Ihr Aufenthalt in ${data.spaceName} wurde geändert`,
      heading: 'Ihr Aufenthalt wurde geändert',
      paragraphs: [`Guten Tag ${data.guestName},`, 'Ihre Buchung wurde geändert. So lautet sie jetzt.'],
      short: `${data.organization}: Ihr Aufenthalt in ${unitAndSpace(data)} wurde geändert, jetzt ${format.day(data.checkIn)} bis ${format.day(data.checkOut)}.`,
    }),
    fr: (data, format) => ({
      subject: `Votre séjour à ${data.spaceName} a été modifié`,
      heading: 'Votre séjour a été modifié',
      paragraphs: [
        `Bonjour ${data.guestName},`,
        'votre réservation a été modifiée. Voici ce qui est désormais prévu.',
      ],
      short: `${data.organization} : votre séjour à ${unitAndSpace(data)} a été modifié, désormais du ${format.day(data.checkIn)} au ${format.day(data.checkOut)}.`,
    }),
    es: (data, format) => ({
      subject: `Su estancia en ${data.spaceName} ha cambiado`,
      heading: 'Su estancia ha cambiado',
      paragraphs: [
        `Estimado/a ${data.guestName}:`,
        'Su reserva se ha modificado. Así queda a partir de ahora.',
      ],
      short: `${data.organization}: su estancia en ${unitAndSpace(data)} ha cambiado, ahora del ${format.day(data.checkIn)} al ${format.day(data.checkOut)}.`,
    }),
    pt: (data, format) => ({
      subject: `A sua estadia em ${data.spaceName} foi alterada`,
      heading: 'A sua estadia foi alterada',
      paragraphs: [
        `Estimado(a) ${data.guestName},`,
        'A sua reserva foi alterada. Estes são os dados atualizados.',
      ],
      short: `${data.organization}: a sua estadia em ${unitAndSpace(data)} foi alterada, agora de ${format.day(data.checkIn)} a ${format.day(data.checkOut)}.`,
    }),
  },
}

export const bookingChangedToOperator: Template<BookingData> = {
  tone: 'plain',
  facts: stayFacts('operator'),
  texts: {
    en: (data, format) => ({
      subject: `Booking changed: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Booking changed',
      paragraphs: [`The booking of ${data.guestName} was changed. These are the current details.`],
      short: `Booking changed: ${data.guestName}, ${unitAndSpace(data)}, now ${format.day(data.checkIn)} to ${format.day(data.checkOut)}.`,
    }),
    de: (data, format) => ({
      subject: `Buchung geändert: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Buchung geändert',
      paragraphs: [`Die Buchung von ${data.guestName} wurde geändert. So lautet sie jetzt.`],
      short: `Buchung geändert: ${data.guestName}, ${unitAndSpace(data)}, jetzt ${format.day(data.checkIn)} bis ${format.day(data.checkOut)}.`,
    }),
    fr: (data, format) => ({
      subject: `Réservation modifiée : ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Réservation modifiée',
      paragraphs: [`La réservation de ${data.guestName} a été modifiée. Voici ce qui est désormais prévu.`],
      short: `Réservation modifiée : ${data.guestName}, ${unitAndSpace(data)}, désormais du ${format.day(data.checkIn)} au ${format.day(data.checkOut)}.`,
    }),
    es: (data, format) => ({
      subject: `Reserva modificada: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Reserva modificada',
      paragraphs: [`La reserva de ${data.guestName} se ha modificado. Así queda a partir de ahora.`],
      short: `Reserva modificada: ${data.guestName}, ${unitAndSpace(data)}, ahora del ${format.day(data.checkIn)} al ${format.day(data.checkOut)}.`,
    }),
    pt: (data, format) => ({
      subject: `Reserva alterada: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Reserva alterada',
      paragraphs: [`A reserva de ${data.guestName} foi alterada. Estes são os dados atualizados.`],
      short: `Reserva alterada: ${data.guestName}, ${unitAndSpace(data)}, agora de ${format.day(data.checkIn)} a ${format.day(data.checkOut)}.`,
    }),
  },
}

import type { BookingData, Template } from '../template.ts'
import { unitAndSpace, stayFacts } from './stay.ts'

export const bookingCancelledToGuest: Template<BookingData> = {
  tone: 'plain',
  facts: stayFacts('guest'),
  texts: {
    en: (data, format) => ({
      subject: `Your stay at ${data.spaceName} is cancelled`,
      heading: 'Your stay is cancelled',
      paragraphs: [
        `Dear ${data.guestName},`,
        'your booking was cancelled. If you did not expect this, please contact your host.',
      ],
      short: `${data.organization}: your stay at ${unitAndSpace(data)} from ${format.day(data.checkIn)} is cancelled.`,
    }),
    de: (data, format) => ({
      subject: `Ihr Aufenthalt in ${data.spaceName} ist storniert`,
      heading: 'Ihr Aufenthalt ist storniert',
      paragraphs: [
        `Guten Tag ${data.guestName},`,
        'Ihre Buchung wurde storniert. Falls Sie das nicht erwartet haben, melden Sie sich bitte bei Ihrer Gastgeberin oder Ihrem Gastgeber.',
      ],
      short: `${data.organization}: Ihr Aufenthalt in ${unitAndSpace(data)} ab ${format.day(data.checkIn)} ist storniert.`,
    }),
    fr: (data, format) => ({
      subject: `Votre séjour à ${data.spaceName} est annulé`,
      heading: 'Votre séjour est annulé',
      paragraphs: [
        `Bonjour ${data.guestName},`,
        'votre réservation a été annulée. Si vous ne vous y attendiez pas, veuillez contacter votre hôte.',
      ],
      short: `${data.organization} : votre séjour à ${unitAndSpace(data)} à partir du ${format.day(data.checkIn)} est annulé.`,
    }),
    es: (data, format) => ({
      subject: `Su estancia en ${data.spaceName} está cancelada`,
      heading: 'Su estancia está cancelada',
      paragraphs: [
        `Estimado/a ${data.guestName}:`,
        'Su reserva se ha cancelado. Si no lo esperaba, póngase en contacto con su anfitrión.',
      ],
      short: `${data.organization}: su estancia en ${unitAndSpace(data)} desde el ${format.day(data.checkIn)} está cancelada.`,
    }),
    pt: (data, format) => ({
      subject: `A sua estadia em ${data.spaceName} foi cancelada`,
      heading: 'A sua estadia foi cancelada',
      paragraphs: [
        `Estimado(a) ${data.guestName},`,
        'A sua reserva foi cancelada. Se não contava com este cancelamento, contacte, por favor, o alojamento.',
      ],
      short: `${data.organization}: a sua estadia em ${unitAndSpace(data)} a partir de ${format.day(data.checkIn)} foi cancelada.`,
    }),
  },
}

export const bookingCancelledToOperator: Template<BookingData> = {
  tone: 'plain',
  facts: stayFacts('operator'),
  texts: {
    en: (data, format) => ({
      subject: `Booking cancelled: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Booking cancelled',
      paragraphs: [`The booking of ${data.guestName} was cancelled. Its nights are free again.`],
      short: `Booking cancelled: ${data.guestName}, ${unitAndSpace(data)}, ${format.day(data.checkIn)} to ${format.day(data.checkOut)}.`,
    }),
    de: (data, format) => ({
      subject: `Buchung storniert: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Buchung storniert',
      paragraphs: [`Die Buchung von ${data.guestName} wurde storniert. Die Nächte sind wieder frei.`],
      short: `Buchung storniert: ${data.guestName}, ${unitAndSpace(data)}, ${format.day(data.checkIn)} bis ${format.day(data.checkOut)}.`,
    }),
    fr: (data, format) => ({
      subject: `Réservation annulée : ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Réservation annulée',
      paragraphs: [
        `La réservation de ${data.guestName} a été annulée. Les nuits sont de nouveau disponibles.`,
      ],
      short: `Réservation annulée : ${data.guestName}, ${unitAndSpace(data)}, du ${format.day(data.checkIn)} au ${format.day(data.checkOut)}.`,
    }),
    es: (data, format) => ({
      subject: `Reserva cancelada: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Reserva cancelada',
      paragraphs: [`La reserva de ${data.guestName} se ha cancelado. Las noches vuelven a estar libres.`],
      short: `Reserva cancelada: ${data.guestName}, ${unitAndSpace(data)}, del ${format.day(data.checkIn)} al ${format.day(data.checkOut)}.`,
    }),
    pt: (data, format) => ({
      subject: `Reserva cancelada: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Reserva cancelada',
      paragraphs: [`A reserva de ${data.guestName} foi cancelada. As noites estão novamente livres.`],
      short: `Reserva cancelada: ${data.guestName}, ${unitAndSpace(data)}, de ${format.day(data.checkIn)} a ${format.day(data.checkOut)}.`,
    }),
  },
}

import type { BookingData, Template } from '../template.ts'
import { unitAndSpace, stayFacts } from './stay.ts'

export const bookingConfirmedToGuest: Template<BookingData> = {
  tone: 'good',
  facts: stayFacts('guest'),
  texts: {
    en: (data, format) => ({
      subject: `Your stay at ${data.spaceName} is confirmed`,
      heading: 'Your stay is confirmed',
      paragraphs: [`Dear ${data.guestName},`, `we look forward to welcoming you at ${data.spaceName}.`],
      short: `${data.organization}: your stay at ${unitAndSpace(data)} is confirmed, ${format.day(data.checkIn)} to ${format.day(data.checkOut)}.`,
    }),
    de: (data, format) => ({
      subject: `Ihr Aufenthalt in ${data.spaceName} ist bestätigt`,
      heading: 'Ihr Aufenthalt ist bestätigt',
      paragraphs: [`Guten Tag ${data.guestName},`, `wir freuen uns, Sie in ${data.spaceName} zu begrüßen.`],
      short: `${data.organization}: Ihr Aufenthalt in ${unitAndSpace(data)} ist bestätigt, ${format.day(data.checkIn)} bis ${format.day(data.checkOut)}.`,
    }),
    fr: (data, format) => ({
      subject: `Votre séjour à ${data.spaceName} est confirmé`,
      heading: 'Votre séjour est confirmé',
      paragraphs: [
        `Bonjour ${data.guestName},`,
        `nous nous réjouissons de vous accueillir à ${data.spaceName}.`,
      ],
      short: `${data.organization} : votre séjour à ${unitAndSpace(data)} est confirmé, du ${format.day(data.checkIn)} au ${format.day(data.checkOut)}.`,
    }),
    es: (data, format) => ({
      subject: `Su estancia en ${data.spaceName} está confirmada`,
      heading: 'Su estancia está confirmada',
      paragraphs: [
        `Estimado/a ${data.guestName}:`,
        `Será un placer darle la bienvenida en ${data.spaceName}.`,
      ],
      short: `${data.organization}: su estancia en ${unitAndSpace(data)} está confirmada, del ${format.day(data.checkIn)} al ${format.day(data.checkOut)}.`,
    }),
    pt: (data, format) => ({
      subject: `A sua estadia em ${data.spaceName} está confirmada`,
      heading: 'A sua estadia está confirmada',
      paragraphs: [
        `Estimado(a) ${data.guestName},`,
        `Será um prazer dar-lhe as boas-vindas em ${data.spaceName}.`,
      ],
      short: `${data.organization}: a sua estadia em ${unitAndSpace(data)} está confirmada, de ${format.day(data.checkIn)} a ${format.day(data.checkOut)}.`,
    }),
  },
}

export const bookingConfirmedToOperator: Template<BookingData> = {
  tone: 'good',
  facts: stayFacts('operator'),
  texts: {
    en: (data, format) => ({
      subject: `New booking: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'New booking',
      paragraphs: [`${data.guestName} has booked ${unitAndSpace(data)}.`],
      short: `New booking: ${data.guestName}, ${unitAndSpace(data)}, ${format.day(data.checkIn)} to ${format.day(data.checkOut)}.`,
    }),
    de: (data, format) => ({
      subject: `Neue Buchung: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Neue Buchung',
      paragraphs: [`${data.guestName} hat ${unitAndSpace(data)} gebucht.`],
      short: `Neue Buchung: ${data.guestName}, ${unitAndSpace(data)}, ${format.day(data.checkIn)} bis ${format.day(data.checkOut)}.`,
    }),
    fr: (data, format) => ({
      subject: `Nouvelle réservation : ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Nouvelle réservation',
      paragraphs: [`${data.guestName} a réservé ${unitAndSpace(data)}.`],
      short: `Nouvelle réservation : ${data.guestName}, ${unitAndSpace(data)}, du ${format.day(data.checkIn)} au ${format.day(data.checkOut)}.`,
    }),
    es: (data, format) => ({
      subject: `Nueva reserva: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Nueva reserva',
      paragraphs: [`${data.guestName} ha reservado ${unitAndSpace(data)}.`],
      short: `Nueva reserva: ${data.guestName}, ${unitAndSpace(data)}, del ${format.day(data.checkIn)} al ${format.day(data.checkOut)}.`,
    }),
    pt: (data, format) => ({
      subject: `Nova reserva: ${data.unitName}, ${format.day(data.checkIn)}`,
      heading: 'Nova reserva',
      paragraphs: [`${data.guestName} reservou ${unitAndSpace(data)}.`],
      short: `Nova reserva: ${data.guestName}, ${unitAndSpace(data)}, de ${format.day(data.checkIn)} a ${format.day(data.checkOut)}.`,
    }),
  },
}

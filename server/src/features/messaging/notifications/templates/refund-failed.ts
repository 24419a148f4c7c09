import type { AlertData, Template } from '../template.ts'
import { alertSubject, alertFacts } from './alert.ts'

export const refundFailed: Template<AlertData> = {
  tone: 'bad',
  facts: alertFacts,
  texts: {
    en: (data) => ({
      subject: `A refund failed: ${alertSubject(data)}`,
      heading: 'A refund failed',
      paragraphs: [
        'The payment provider could not send the money. Please refund the payment again, or pay the guest in another way.',
      ],
      short: `${alertSubject(data)}: ${data.message}`,
    }),
    de: (data) => ({
      subject: `Eine Erstattung ist fehlgeschlagen: ${alertSubject(data)}`,
      heading: 'Eine Erstattung ist fehlgeschlagen',
      paragraphs: [
        'Der Zahlungsanbieter konnte das Geld nicht senden. Bitte erstatten Sie die Zahlung noch einmal, oder bezahlen Sie den Gast anders.',
      ],
      short: `Eine Erstattung ist fehlgeschlagen: ${alertSubject(data)}. ${data.message}`,
    }),
    fr: (data) => ({
      subject: `Un remboursement a échoué : ${alertSubject(data)}`,
      heading: 'Un remboursement a échoué',
      paragraphs: [
        'Le prestataire de paiement n’a pas pu envoyer l’argent. Veuillez rembourser le paiement à nouveau, ou payer le client d’une autre façon.',
      ],
      short: `Un remboursement a échoué : ${alertSubject(data)}. ${data.message}`,
    }),
    es: (data) => ({
      subject: `Ha fallado un reembolso: ${alertSubject(data)}`,
      heading: 'Ha fallado un reembolso',
      paragraphs: [
        'El proveedor de pagos no ha podido enviar el dinero. Reembolse el pago de nuevo o pague al huésped de otra forma.',
      ],
      short: `Ha fallado un reembolso: ${alertSubject(data)}. ${data.message}`,
    }),
    pt: (data) => ({
      subject: `Um reembolso falhou: ${alertSubject(data)}`,
      heading: 'Um reembolso falhou',
      paragraphs: [
        'O prestador de pagamentos não conseguiu enviar o dinheiro. Reembolse o pagamento de novo ou pague ao hóspede de outra forma.',
      ],
      short: `Um reembolso falhou: ${alertSubject(data)}. ${data.message}`,
    }),
  },
}

import type { Language } from '#schema/language.ts'
import type { TestData, WriteText, Template } from '../template.ts'

const headings: Record<Language, string> = {
  en: 'A test message',
  de: 'Eine Testnachricht',
  fr: 'Un message de test',
  es: 'Un mensaje de prueba',
  pt: 'Uma mensagem de teste',
}

const writeText =
  (language: Language): WriteText<TestData> =>
  ({ subject, body }) => ({
    subject,
    heading: headings[language],
    paragraphs: body.split(/\r\n|\r|\n/).filter((line) => line.trim() !== ''),
    short: `${subject}: ${body}`,
  })

/** A test message in the words of its sender. */
export const testMessage: Template<TestData> = {
  tone: 'plain',
  facts: () => [],
  texts: {
    en: writeText('en'),
    de: writeText('de'),
    fr: writeText('fr'),
    es: writeText('es'),
    pt: writeText('pt'),
  },
}

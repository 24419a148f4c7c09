import type { Language } from '../locale.ts'
import type { TestStory } from '../stories.ts'
import type { Speak, Template } from '../template.ts'

const headings: Record<Language, string> = {
  en: 'A test message',
  de: 'Eine Testnachricht',
  fr: 'Un message de test',
  es: 'Un mensaje de prueba',
  pt: 'Uma mensagem de teste',
}

const speak =
  (language: Language): Speak<TestStory> =>
  ({ subject, body }) => ({
    subject,
    heading: headings[language],
    paragraphs: body.split(/\r\n|\r|\n/).filter((line) => line.trim() !== ''),
    facts: [],
    short: `${subject}: ${body}`,
  })

/** In the words of whoever tries the way. */
export const testMessage: Template<TestStory> = {
  tone: 'plain',
  words: { en: speak('en'), de: speak('de'), fr: speak('fr'), es: speak('es'), pt: speak('pt') },
}

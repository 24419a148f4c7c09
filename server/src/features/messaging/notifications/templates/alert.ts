import type { LocaleFormat } from '../locale-format.ts'
import { languages, type Language } from '#schema/language.ts'
import type { AlertData, Fact, Template, WriteText } from '../template.ts'

const labels: Record<
  Language,
  readonly [unit: string, target: string, since: string, message: string, hint: string]
> = {
  en: ['Accommodation', 'Connection', 'Since', 'Problem', 'What to do'],
  de: ['Unterkunft', 'Anbindung', 'Seit', 'Was nicht stimmt', 'Was hilft'],
  fr: ['Hébergement', 'Connexion', 'Depuis', 'Ce qui ne va pas', 'Ce qui aide'],
  es: ['Alojamiento', 'Conexión', 'Desde', 'Qué falla', 'Qué ayuda'],
  pt: ['Alojamento', 'Ligação', 'Desde', 'O que se passa', 'O que fazer'],
}

/** The alert, line by line. Its message and hint are in English. */
export function alertFacts(language: Language, data: AlertData, format: LocaleFormat): readonly Fact[] {
  const [unit, target, since, message, hint] = labels[language]
  return [
    ...(data.unitName ? [[unit, [data.unitName, data.spaceName].filter(Boolean).join(', ')] as const] : []),
    ...(data.targetName ? [[target, data.targetName] as const] : []),
    [since, format.dateTime(data.since)],
    [message, data.message],
    [hint, data.hint],
  ]
}

/** For an alert whose message does not repeat the heading. */
export const alertTemplate = (
  texts: Readonly<Record<Language, readonly [heading: string, paragraph: string]>>,
): Template<AlertData> => ({
  tone: 'bad',
  facts: alertFacts,
  texts: Object.fromEntries(
    languages.map((language) => [language, writeText(language, ...texts[language])]),
  ) as Template<AlertData>['texts'],
})

const writeText =
  (language: Language, heading: string, paragraph: string): WriteText<AlertData> =>
  (data) => {
    const subject = `${heading}${language === 'fr' ? ' :' : ':'} ${alertSubject(data)}`
    return { subject, heading, paragraphs: [paragraph], short: `${subject}. ${data.message}` }
  }

/** The subject of the alert: the unit, else the target. */
export const alertSubject = ({ unitName, targetName, organization }: AlertData) =>
  unitName ?? targetName ?? organization

import { openLocaleFormat } from './locale-format.ts'
import { languageOf } from '#schema/language.ts'
import { renderHtml } from './render-html.ts'
import type { Audience, NotificationKind } from './notification.ts'
import type { TemplateData, Message } from './template.ts'
import { templateFor } from './templates.ts'

export interface RenderInput {
  readonly kind: NotificationKind | 'test'
  readonly audience: Audience
  readonly locale: string
  readonly data: TemplateData
}

export interface Rendered {
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly sms: string
}

/** Renders a notification in every format, in the language of its recipient. `link` is the address of the console. */
export function render({ kind, audience, locale, data }: RenderInput, link: string | null): Rendered {
  const { tone, texts, facts } = templateFor(kind, audience)
  const language = languageOf(locale)
  const format = openLocaleFormat(locale)
  const message = { ...texts[language](data, format), facts: facts(language, data, format) }
  const frame = { language, tone, organization: data.organization, link: audience === 'guest' ? null : link }
  return {
    subject: subjectOf(message),
    html: renderHtml(message, frame),
    text: renderText(message, data.organization, frame.link),
    sms: toOneLine(message.short, maxSmsCharacters),
  }
}

/** At most ten parts of an SMS, which providers accept in one message. */
const maxSmsCharacters = 600

const subjectOf = ({ subject }: Message) => toOneLine(subject, 200)

/** Replaces control characters, line separators and marks of text direction. */
const toOneLine = (text: string, maxCharacters: number) => {
  const line = text
    .replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : line
}

function renderText(
  { heading, paragraphs, facts }: Message,
  organization: string,
  link: string | null,
): string {
  return [
    heading.toUpperCase(),
    ...paragraphs,
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...(link ? [link] : []),
    `-- \n${organization}`,
  ].join('\n\n')
}

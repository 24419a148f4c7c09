import type { Language } from '#schema/language.ts'
import type { Tone, Message } from './template.ts'

export interface Frame {
  readonly language: Language
  readonly tone: Tone
  readonly organization: string
  readonly link: string | null
}

/**
 * An e-mail as HTML. All mail programs support tables and inline styles; the style sheet only adds dark mode, and wider
 * margins on large screens. Nothing is loaded from the network.
 */
export function renderHtml({ subject, heading, paragraphs, facts }: Message, frame: Frame): string {
  const { language, tone, organization, link } = frame
  const lines = facts.map(([label, value], at) => factRow(label, value, at === 0))
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark; }
@media (min-width: 600px) { .sheet { padding: 40px 40px 32px !important; } .fact-label { width: 34% !important; } }
@media (prefers-color-scheme: dark) {
  .page { background: #0f1319 !important; }
  .sheet { background: #171c24 !important; border-left-color: #2a323e !important; border-right-color: #2a323e !important; border-bottom-color: #2a323e !important; }
  .ink, .fact-value { color: #e8ebf0 !important; }
  .soft, .fact-label { color: #9aa5b5 !important; }
  .fact-label, .fact-value { border-color: #2a323e !important; }
  .button { background: #4cc9a8 !important; color: #0b1512 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7;">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7;">
<tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;">
<tr><td class="soft" style="padding:0 4px 12px;color:#5b6676;${font(14)}">${escapeHtml(organization)}</td></tr>
<tr><td class="sheet" style="padding:28px 20px 24px;background:#ffffff;border:1px solid #e1e5eb;border-top:4px solid ${colours[tone]};border-radius:12px;">
<h1 class="ink" style="margin:0 0 16px;color:#1b2330;${font(24, 1.25)}font-weight:650;overflow-wrap:anywhere;">${escapeHtml(heading)}</h1>
${paragraphs.map(paragraph).join('\n')}
${lines.length > 0 ? `<table width="100%" cellpadding="0" cellspacing="0" style="margin-top:20px;border-collapse:collapse;">\n${lines.join('\n')}\n</table>` : ''}
${link ? button(link, linkTexts[language]) : ''}
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

const colours: Record<Tone, string> = { good: '#0b8a6c', plain: '#4a6fa5', bad: '#c2413b' }

const linkTexts: Record<Language, string> = {
  en: 'Open Vacancy',
  de: 'Vacancy öffnen',
  fr: 'Ouvrir Vacancy',
  es: 'Abrir Vacancy',
  pt: 'Abrir o Vacancy',
}

const font = (pixels: number, height = 1.55) =>
  `font:${pixels}px/${height} -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;`

const paragraph = (text: string) =>
  `<p class="ink" style="margin:0 0 12px;color:#1b2330;${font(16)}overflow-wrap:anywhere;">${escapeHtml(text)}</p>`

function factRow(label: string, value: string, isFirst: boolean): string {
  const line = isFirst ? '' : 'border-top:1px solid #e9ecf1;'
  return `<tr><th class="fact-label" scope="row" align="left" valign="top" style="width:38%;padding:10px 12px 10px 0;${line}color:#5b6676;${font(14)}font-weight:400;">${escapeHtml(label)}</th><td class="fact-value" valign="top" style="padding:10px 0;${line}color:#1b2330;${font(15)}overflow-wrap:anywhere;word-break:break-word;">${escapeHtml(value)}</td></tr>`
}

const button = (link: string, words: string) =>
  `<p style="margin:24px 0 4px;"><a class="button" href="${escapeHtml(link)}" style="display:inline-block;padding:11px 22px;border-radius:8px;background:#0b6b57;color:#ffffff;text-decoration:none;${font(15)}font-weight:600;">${words}</a></p>`

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Shows any text literally. */
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (mark) => entities[mark]!)

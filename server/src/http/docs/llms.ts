import type { RenderedPage } from './documentation.ts'

/** The pages as a list for language models (https://llmstxt.org). */
export function describeForModels(pages: readonly RenderedPage[], publicUrl: string): string {
  const sections = [...new Set(pages.map(({ section }) => section).filter(Boolean))]
  const lists = sections.map((section) => {
    const links = pages
      .filter((page) => page.section === section)
      .map(({ path, title, summary }) => `- [${title}](${publicUrl}/docs/${path}.md): ${summary}`)
    return `## ${section}\n\n${links.join('\n')}`
  })
  return `# Vacancy

> Channel and inventory management for operators of rentable properties: a JSON API, webhooks, and a sync to the property management system.

The contract of all operations (OpenAPI 3.0) is at ${publicUrl}/api/v1/openapi.json; agents use the Model Context Protocol at ${publicUrl}/mcp. All pages in one file: ${publicUrl}/llms-full.txt

${lists.join('\n\n')}
`
}

/** All pages in one text. */
export const joinForModels = (pages: readonly RenderedPage[]) =>
  pages.map(({ markdown }) => markdown.trim()).join('\n\n---\n\n') + '\n'

/** One message as text and in each layout. */
import { LAYOUTS, type Content } from './layouts.ts';
import type { Sample } from './sample.ts';

export function render(
  base: Pick<Sample, 'project' | 'language' | 'subject' | 'asks'>,
  content: Content,
): Sample[] {
  const { heading, before, code, button, after } = content;
  const answer = { from: 'no-reply@acme.example', code, link: button?.url ?? null };
  const lines = [heading, before, code, button?.url, after].filter((line) => line && line !== '');
  const text = lines.join('\n\n');
  const pages = Object.entries(LAYOUTS).map(([layout, page]) => ({
    ...base,
    ...answer,
    layout,
    text: null,
    html: page(content),
  }));
  return [{ ...base, ...answer, layout: 'text', text, html: null }, ...pages];
}

/** The text without markup. */
export function plain(html: string): string {
  return html.replace(/<[^<>]*>/g, '').trim();
}

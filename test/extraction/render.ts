/** One message as text and in four HTML layouts around the same sentences. */
import type { Sample } from './sample.ts';

interface Content {
  heading: string;
  before: string;
  code: string | null;
  button: { url: string; text: string } | null;
  after: string;
}

const SITE = 'https://www.acme.example';

const LAYOUTS: Record<string, (content: Content) => string> = {
  paragraphs: ({ heading, before, code, button, after }) =>
    `<html><body><h2>${heading}</h2><p>${before}</p>${code === null ? '' : `<p>${code}</p>`}` +
    `${button ? `<p><a href="${button.url}">${button.text}</a></p>` : ''}<p>${after}</p></body></html>`,
  card: ({ heading, before, code, button, after }) =>
    '<html><head><style>.b{color:#112233}</style></head><body><table width="600"><tr><td>' +
    `<h1>${heading}</h1></td></tr><tr><td>${before}</td></tr>` +
    (code === null
      ? ''
      : `<tr><td style="font-size:32px;letter-spacing:8px;font-weight:700">${code}</td></tr>`) +
    (button
      ? `<tr><td><a class="btn" href="${button.url}" style="background:#06c;padding:12px">${button.text}</a></td></tr>`
      : '') +
    `<tr><td>${after}</td></tr></table><p>© 2026 Acme Inc., 94107 San Francisco</p></body></html>`,
  boxes: ({ heading, before, code, button, after }) =>
    `<html><body><p>${heading}</p><p>${before}</p>` +
    (code === null
      ? ''
      : `<table><tr>${code
          .split('')
          .map((digit) => `<td style="border:1px solid">${digit}</td>`)
          .join('')}</tr></table>`) +
    `${button ? `<div><a href="${button.url}"><strong>${button.text}</strong></a><br>${button.url}</div>` : ''}<p>${after}</p></body></html>`,
  newsletter: ({ heading, before, code, button, after }) =>
    `<html><body><div style="display:none;max-height:0">${heading}</div><a href="${SITE}/"><img alt="Acme" src="${SITE}/logo.png"></a>` +
    `<div>${heading}<br>${before}</div>${code === null ? '' : `<div><b>${code}</b></div>`}` +
    `${button ? `<div><a href="${button.url}">${button.text}</a></div>` : ''}<div>${after}</div>` +
    `<div><a href="https://twitter.com/acme">Twitter</a> <a href="${SITE}/privacy">Privacy</a> <a href="${SITE}/u/8812345">Unsubscribe</a></div>` +
    '<div>Acme GmbH, Hauptstr. 1, 10115 Berlin, +49 30 1234567</div></body></html>',
};

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

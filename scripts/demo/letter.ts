/** The HTML and the plain text of a mail, both made from the same blocks. */
import type { Phrases } from './phrases.ts';

export type LetterBlock =
  | { paragraph: string }
  | { title: string }
  | { label: string; code: string }
  | { button: string; url: string }
  | { head?: string[]; rows: string[][]; total?: string[] }
  | { picture: string; alt: string };

export interface LetterPage {
  heading: string;
  blocks: LetterBlock[];
  /** Link below the mail. */
  unsubscribe?: { label: string; url: string };
  /** URL of a small picture before the name of the shop. */
  logo?: string;
  /** URL of an invisible picture that reports the opening of the mail. */
  pixel?: string;
}

export function letterText(
  { brand, greeting }: Phrases,
  { blocks, unsubscribe }: LetterPage,
): string {
  const parts = [greeting, ...blocks.map(blockText).filter(Boolean), `-- \n${brand.foot}`];
  if (unsubscribe) parts.push(`${unsubscribe.label}: ${unsubscribe.url}`);
  return `${parts.join('\n\n')}\n`;
}

function blockText(block: LetterBlock): string {
  if ('paragraph' in block) return block.paragraph;
  if ('title' in block) return block.title;
  if ('code' in block) return `${block.label} ${block.code}`;
  if ('button' in block) return `${block.button}:\n${block.url}`;
  if ('picture' in block) return '';
  const rows = [...(block.head ? [block.head] : []), ...block.rows];
  if (block.total) rows.push(block.total);
  return rows.map((row) => row.filter(Boolean).join('  |  ')).join('\n');
}

export function letterHtml(phrases: Phrases, page: LetterPage): string {
  const { language, direction, brand, greeting } = phrases;
  const logo = page.logo ? `<img src="${page.logo}" width="20" height="20" alt=""> ` : '';
  const pixel = page.pixel ? `<img src="${page.pixel}" width="1" height="1" alt="">` : '';
  const end = page.unsubscribe
    ? `<br><a href="${page.unsubscribe.url}">${escape(page.unsubscribe.label)}</a>`
    : '';
  return `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>
${style(brand.color)}</style></head><body><div class="card"><p class="brand">${logo}${escape(brand.name)}</p><h1>${escape(page.heading)}</h1>
<p>${escape(greeting)}</p>
${page.blocks.map(blockHtml).join('\n')}</div>
<p class="foot">${escape(brand.foot)}${end}</p>${pixel}</body></html>`;
}

function blockHtml(block: LetterBlock): string {
  if ('paragraph' in block) return `<p>${escape(block.paragraph)}</p>`;
  if ('title' in block) return `<h2>${escape(block.title)}</h2>`;
  if ('code' in block) {
    return `<p>${escape(block.label)}</p><div class="code" dir="ltr">${block.code}</div>`;
  }
  if ('button' in block) {
    return `<p><a class="button" href="${block.url}">${escape(block.button)}</a></p>`;
  }
  if ('picture' in block) {
    return `<img class="picture" src="${block.picture}" width="448" height="160" alt="${escape(block.alt)}">`;
  }
  const { head, rows, total } = block;
  return [
    '<table>',
    ...(head ? [row(head, 'th')] : []),
    ...rows.map((cells) => row(cells)),
    ...(total ? [row(total, 'td', ' class="total"')] : []),
    '</table>',
  ].join('');
}

function row(cells: string[], tag = 'td', attributes = ''): string {
  const inner = cells.map((cell) => `<${tag}>${escape(cell)}</${tag}>`).join('');
  return `<tr${attributes}>${inner}</tr>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const style = (
  color: string,
) => `body { margin: 0; padding: 28px 16px; background: #f3f5f4; color: #1b2420; font: 15px/1.6 'Helvetica Neue', Arial, sans-serif }
.card { max-width: 520px; margin: 0 auto; padding: 34px 36px; border-radius: 14px; background: #fff }
.brand { margin: 0 0 26px; font-weight: bold; color: ${color} }
.brand img { vertical-align: -4px }
h1 { margin: 0 0 12px; font-size: 25px; line-height: 1.25 }
h2 { margin: 22px 0 4px; font-size: 17px }
p { margin: 0 0 16px }
.code { margin: 22px 0; padding: 16px; border-radius: 10px; background: #f0f4f2; font: bold 30px/1 'Liberation Mono', monospace; letter-spacing: 6px; text-align: center }
.button { display: inline-block; padding: 12px 22px; border-radius: 9px; background: ${color}; color: #fff; font-weight: bold; text-decoration: none }
.picture { display: block; width: 100%; height: auto; margin: 18px 0; border-radius: 10px }
table { width: 100%; margin: 18px 0; border-collapse: collapse }
td, th { padding: 10px 0; border-bottom: 1px solid #e4e9e6; text-align: start }
td:last-child, th:last-child { text-align: end; white-space: nowrap }
.total td { border: 0; font-weight: bold }
.foot { max-width: 520px; margin: 18px auto 0; font-size: 12px; color: #66716b; text-align: center }
.foot a { color: inherit }
@media (prefers-color-scheme: dark) {
  body { background: #101614; color: #e4ebe7 }
  .card { background: #1a2320 }
  .brand { color: color-mix(in srgb, ${color} 55%, #fff) }
  .code { background: #26322d }
  td, th { border-color: #2d3934 }
  .foot { color: #93a099 }
}
`;

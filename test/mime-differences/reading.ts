/** What is compared of a mail: each field is one text, so that two readings are equal or not. */

export interface Reading {
  /** Whitespace of any length counts as one blank, here and in `text`. */
  subject: string;
  /** The first address. */
  from: string;
  /** The addresses, in their order. */
  to: string;
  /** RFC 3339 in UTC; empty if there is none, or it is not a date. */
  date: string;
  text: string;
  /** `yes` or `no`. */
  html: string;
  /** Names as sent, sorted, one a line. */
  names: string;
  /** Sizes in bytes, sorted. Their number is that of the attachments. */
  sizes: string;
}

export type Field = keyof Reading;

export interface Read {
  subject: string | null | undefined;
  from: string | null | undefined;
  to: string[];
  date: Date | string | null | undefined;
  text: string | null | undefined;
  hasHtml: boolean;
  attachments: { name: string | null | undefined; size: number }[];
}

export function readingOf(read: Read): Reading {
  const { attachments } = read;
  const date = new Date(read.date ?? NaN);
  const names = attachments.flatMap(({ name }) => (name ? [joined(name)] : []));
  return {
    subject: joined(read.subject),
    from: joined(read.from),
    to: read.to.map(joined).join(', '),
    date: Number.isNaN(date.getTime()) ? '' : date.toISOString(),
    text: joined(read.text),
    html: read.hasHtml ? 'yes' : 'no',
    names: names.sort().join('\n'),
    sizes: attachments
      .map(({ size }) => size)
      .sort((a, b) => a - b)
      .join(', '),
  };
}

function joined(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

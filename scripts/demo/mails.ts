/** The six kinds of mail that each shop sends. */
import { createHash } from 'node:crypto';
import { calendar } from './calendar.ts';
import { type LetterBlock, type LetterPage, letterHtml, letterText } from './letter.ts';
import { pdf } from './pdf.ts';
import type { Phrases } from './phrases.ts';
import { landscape, logo } from './picture.ts';

export const kinds = ['newsletter', 'order', 'invoice', 'notice', 'reset', 'signUp'] as const;
export type MailKind = (typeof kinds)[number];

export interface DemoAttachment {
  filename: string;
  contentType: string;
  content: Buffer;
  /** Content-ID of a picture in the HTML. */
  cid?: string;
}

export interface DemoMail {
  kind: MailKind;
  language: string;
  from: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
  attachments: DemoAttachment[];
  headers: Record<string, string>;
}

interface Content {
  /** Local part of the sender. */
  from: string;
  page: Omit<LetterPage, 'heading'>;
  attachments?: DemoAttachment[];
  headers?: Record<string, string>;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function mailOf(phrases: Phrases, kind: MailKind): DemoMail {
  const { from, page, attachments = [], headers = {} } = contents[kind](phrases);
  const { sender, subject, heading } = phrases[kind];
  const whole = { ...page, heading };
  return {
    ...{ kind, subject, attachments, language: phrases.language },
    from: { name: sender, address: `${from}@${phrases.brand.domain}` },
    text: letterText(phrases, whole),
    html: letterHtml(phrases, whole),
    headers: { 'Content-Language': phrases.language, ...headers },
  };
}

const contents: Record<MailKind, (phrases: Phrases) => Content> = {
  signUp: (phrases) => {
    const { intro, label, code, note } = phrases.signUp;
    return {
      from: 'hello',
      page: { blocks: [{ paragraph: intro }, { label, code }, { paragraph: note }] },
    };
  },
  reset: (phrases) => {
    const { intro, button, note } = phrases.reset;
    const url = site(phrases, `reset-password?token=${secret(phrases, 'reset')}`);
    return {
      from: 'accounts',
      page: { blocks: [{ paragraph: intro }, { button, url }, { paragraph: note }] },
    };
  },
  order: (phrases) => {
    const { intro, columns, items, total, button } = phrases.order;
    const table = { head: columns, rows: items, total };
    const url = site(phrases, `orders/${secret(phrases, 'order').slice(0, 8)}`);
    return { from: 'orders', page: { blocks: [{ paragraph: intro }, table, { button, url }] } };
  },
  invoice: (phrases) => {
    const { intro, items, total, button, file } = phrases.invoice;
    const url = site(phrases, 'invoices');
    return {
      from: 'billing',
      page: { blocks: [{ paragraph: intro }, { rows: items, total }, { button, url }] },
      attachments: [
        { filename: file, contentType: 'application/pdf', content: invoiceFile(phrases) },
      ],
    };
  },
  newsletter,
  notice,
};

function invoiceFile({ brand, customer, invoice }: Phrases): Buffer {
  return pdf([
    `${brand.latinName}: invoice ${invoice.number}`,
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `Customer: ${customer.address}`,
    `Total: ${invoice.amount}`,
    'Payment is due within 14 days.',
  ]);
}

function newsletter(phrases: Phrases): Content {
  const { brand } = phrases;
  const { intro, picture, stories, button, unsubscribe } = phrases.newsletter;
  const cid = `picture@${brand.domain}`;
  const leave = site(phrases, `unsubscribe/${secret(phrases, 'newsletter')}`);
  const blocks: LetterBlock[] = [
    { paragraph: intro },
    { picture: `cid:${cid}`, alt: picture },
    ...stories.flatMap(({ title, text }) => [{ title }, { paragraph: text }]),
    { button, url: site(phrases, 'news') },
  ];
  return {
    from: 'news',
    page: {
      blocks,
      unsubscribe: { label: unsubscribe, url: leave },
      logo: `data:image/png;base64,${logo(brand.color).toString('base64')}`,
      pixel: `https://pictures.${brand.domain}/open.gif?reader=${secret(phrases, 'pixel')}`,
    },
    attachments: [
      { filename: 'hills.png', contentType: 'image/png', content: landscape(brand.color), cid },
    ],
    headers: {
      'List-Id': `<news.${brand.domain}>`,
      // RFC 2369 and RFC 8058
      'List-Unsubscribe': `<${leave}>, <mailto:leave@${brand.domain}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}

function notice(phrases: Phrases): Content {
  const { language, brand } = phrases;
  const { kind, intro, when, where, facts, event, file, button } = phrases.notice;
  const begins = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + DAY_MS);
  const ends = new Date(begins.getTime() + 2 * HOUR_MS);
  const time = new Intl.DateTimeFormat(language, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' },
  } as const);
  const rows = [[when, time.formatRange(begins, ends)], where, ...facts];
  const url = site(phrases, `${kind}/${secret(phrases, 'notice').slice(0, 10)}`);
  const content = calendar({
    id: `${secret(phrases, 'event')}@${brand.domain}`,
    ...{ begins, ends, summary: event, place: where.at(-1) ?? '' },
  });
  return {
    from: kind === 'shipping' ? 'delivery' : 'calendar',
    page: { blocks: [{ paragraph: intro }, { rows }, { button, url }] },
    attachments: [
      {
        filename: file,
        contentType: 'text/calendar',
        content: Buffer.from(content),
      },
    ],
  };
}

function site({ brand }: Phrases, path: string): string {
  return `https://www.${brand.domain}/${path}`;
}

/** A value that looks random and is the same in each run. */
function secret({ language }: Phrases, purpose: string): string {
  return createHash('sha256').update(`${language} ${purpose}`).digest('base64url').slice(0, 24);
}

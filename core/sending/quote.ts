/** The body of a reply or of a forwarded mail: what the caller writes, and the original below. */
import type { Person } from '../../db/schema/mail-facts.ts';
import type { MessageAndMail } from '../../db/statements/messages.ts';
import { type Task, lengthOf } from '../mime/task.ts';
import { shownRecipients } from '../messages/read-header.ts';
import { linesOf, oneLine } from '../text/characters.ts';
import { readableText } from '../text/preview.ts';
import { visibleText } from '../text/visible-text.ts';
import { appendHtml, quotedHtml } from './quoted-html.ts';

/** Characters that are quoted of each part of the original. */
const MAX_QUOTED = 1024 * 1024;
const CUT = '[The quoted message is longer than 1 MiB and ends here.]';
const CITED = 'margin:0 0 0 0.8ex;border-left:1px solid #ccc;padding-left:1ex';
const AS_WRITTEN = 'white-space:pre-wrap';

export interface Body {
  text?: string;
  html?: string;
}

/** A mail of which a reply or a forwarded mail quotes the beginning. */
type Original = MessageAndMail;

interface QuoteInput {
  body: Body;
  original: Original;
  isForward: boolean;
}

/** The body of a reply, or of a forwarded mail. */
export const quotedBody: Task<QuoteInput, Body> = {
  name: 'quotedBody',
  sizeOf: ({ body, original: { mail } }) =>
    [body.text, body.html, mail.text, mail.html].reduce(
      (sum, part) => sum + lengthOf(part ?? null),
      0,
    ),
  inlineSize: 32 * 1024,
  run: ({ body, original, isForward }) =>
    isForward ? forwardBelow(body, original) : quoteBelow(body, original),
};

/** The message with what is quoted of its mail. */
export function quotedOf({ message, mail }: Original): Original {
  const beginning = (part: string | null) => part?.slice(0, MAX_QUOTED + 1) ?? null;
  return { message, mail: { ...mail, text: beginning(mail.text), html: beginning(mail.html) } };
}

/**
 * The parts that the caller gives, each with the quoted original; a text if the caller gives none.
 */
function quoteBelow(body: Body, original: Original): Body {
  const head = oneLine(`On ${dateOf(original)}, ${senderOf(original)} wrote:`);
  const parts: Body = {};
  if (body.text !== undefined || body.html === undefined) {
    const lines = linesOf(textOf(original));
    // RFC 3676 section 4.5: a quoted line keeps its quote marks together.
    const quoted = lines.map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`.trimEnd()));
    parts.text = below(body.text ?? '', [head, ...quoted].join('\n'));
  }
  if (body.html !== undefined) {
    const cited = `<blockquote type="cite" class="mail_quote" style="${CITED}">${htmlOf(original)}</blockquote>`;
    const quoted = `<br><br><div class="mail_quote">${escapeHtml(head)}<br>${cited}</div>`;
    parts.html = appendHtml(body.html, quoted);
  }
  return parts;
}

/** A text, and HTML if the caller gives some or the original has some. */
function forwardBelow(body: Body, original: Original): Body {
  const { mail } = original;
  const lines = [
    '---------- Forwarded message ----------',
    `From: ${senderOf(original)}`,
    `Date: ${dateOf(original)}`,
    `Subject: ${mail.subject}`,
    `To: ${shownRecipients(original).join(', ')}`,
    ...(mail.cc.length > 0 ? [`Cc: ${mail.cc.join(', ')}`] : []),
    // a line break of the original would begin a line that looks like one of these
  ].map(oneLine);
  const written = body.text ?? visibleText(body.html ?? '', MAX_QUOTED);
  const text = below(written, `${lines.join('\n')}\n\n${textOf(original)}`);
  if (body.html === undefined && mail.html === null) return { text };
  const above = body.html ?? plainHtml(written);
  const head = lines.map(escapeHtml).join('<br>');
  const quoted = `<br><br><div class="mail_forward">${head}<br><br>${htmlOf(original)}</div>`;
  return { text, html: appendHtml(above, quoted) };
}

function below(written: string, quoted: string): string {
  return written === '' ? quoted : `${written}\n\n${quoted}`;
}

/** The sender as mail clients show it. */
function senderOf({ mail }: Original): string {
  return display({ address: mail.fromAddress, name: mail.fromName });
}

function display({ address, name }: Person): string {
  return name === null ? address : `${name} <${address}>`;
}

function dateOf({ message: { facts, receivedAt } }: Original): string {
  return (facts?.date ? new Date(facts.date) : receivedAt).toUTCString();
}

function textOf({ mail }: Original): string {
  const text = readableText(mail, (html) => visibleText(html, MAX_QUOTED));
  return shortened(text);
}

function htmlOf({ mail }: Original): string {
  if (mail.html === null) return plainHtml(shortened(mail.text ?? ''));
  const shown = quotedHtml(mail.html.slice(0, MAX_QUOTED));
  return mail.html.length > MAX_QUOTED ? `${shown}<p>${CUT}</p>` : shown;
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}\n${CUT}` : text;
}

function plainHtml(text: string): string {
  return text === '' ? '' : `<div style="${AS_WRITTEN}">${escapeHtml(text)}</div>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * mailparser, kept from improving on a mail. Its own assembly joins HTML parts with line breaks that nobody
 * sent, and takes an inline text file (Apple Mail sends them so) for a part of the body. This parser sees to
 * both through the node factory and the part tree of the exact version that is installed; the tests of
 * parsing hold them in place.
 */
import {
  type AddressObject,
  type AttachmentStream,
  type Headers,
  MailParser,
  type MailParserOptions,
  type MessageText,
} from 'mailparser';

export interface ParsedMime {
  from: AddressObject | undefined;
  to: AddressObject | AddressObject[] | undefined;
  cc: AddressObject | AddressObject[] | undefined;
  subject: string | undefined;
  messageId: string | undefined;
  text: string;
  html: string;
  attachments: { filename: string | undefined; contentType: string; content: Buffer }[];
}

/** A part as its headers announce it. */
interface PartHead {
  contentType?: string | false;
  disposition?: string | false;
  filename?: string | false;
}

/** A part as it was read. */
interface Part {
  contentType?: string;
  textContent?: string;
  children?: Part[];
}

type OpenMailParser = new (options: MailParserOptions) => MailParser & {
  readonly tree?: Part;
  createNode(head: PartHead): Part;
};

class AsSentParser extends (MailParser as unknown as OpenMailParser) {
  override createNode(head: PartHead): Part {
    if (head.disposition === 'inline' && head.filename) head.disposition = 'attachment';
    return super.createNode(head);
  }
}

/** html-to-text overflows the stack on 15 KB of nested tags, and nobody reads what it makes. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
};

const TEXT_TYPES = ['text/plain', 'message/delivery-status'];

/** @throws what mailparser cannot cope with: too many parts, a header without end. */
export function parseMime(raw: Buffer): Promise<ParsedMime> {
  return new Promise((resolve, reject) => {
    const parser = new AsSentParser(OPTIONS);
    const attachments: ParsedMime['attachments'] = [];
    let headers: Headers = new Map();
    parser.on('headers', (parsed) => (headers = parsed));
    parser.on('data', (data: AttachmentStream | MessageText) => {
      if (data.type === 'attachment') collect(data, attachments);
    });
    parser.on('error', reject);
    parser.on('end', () => {
      resolve({ ...fieldsOf(headers), ...bodyOf(parser.tree), attachments });
    });
    parser.end(raw);
  });
}

function collect(data: AttachmentStream, attachments: ParsedMime['attachments']): void {
  const chunks: Buffer[] = [];
  data.content.on('data', (chunk: Buffer) => chunks.push(chunk));
  data.content.on('end', () => {
    const { filename, contentType } = data;
    attachments.push({
      filename: filename || undefined,
      contentType,
      content: Buffer.concat(chunks),
    });
    data.release();
  });
}

function fieldsOf(headers: Headers): Omit<ParsedMime, 'text' | 'html' | 'attachments'> {
  return {
    from: headers.get('from') as AddressObject | undefined,
    to: headers.get('to') as AddressObject | AddressObject[] | undefined,
    cc: headers.get('cc') as AddressObject | AddressObject[] | undefined,
    subject: headers.get('subject') as string | undefined,
    messageId: headers.get('message-id') as string | undefined,
  };
}

/** The bodies as they were sent; several of one kind follow one another. */
function bodyOf(tree: Part | undefined): { text: string; html: string } {
  const leaves = tree ? leavesOf(tree) : [];
  const join = (types: string[], between: string) =>
    leaves
      .flatMap(({ contentType = '', textContent }) =>
        textContent && types.includes(contentType) ? [textContent] : [],
      )
      .join(between);
  return { text: join(TEXT_TYPES, '\n'), html: join(['text/html'], '') };
}

function leavesOf(part: Part): Part[] {
  return [part, ...(part.children ?? []).flatMap(leavesOf)];
}

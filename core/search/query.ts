/** A parsed query: conditions that a message must all match. */
import type { Label } from '../../db/statements/reach.ts';
import type { AddressField } from '../matching/document.ts';
import type { TextPart } from '../text/text-part.ts';
import type { QueryWord } from '../text/words.ts';

/** Where words are looked for; `any` is everywhere except in the header. */
export type WordField = AddressField | 'any' | 'subject' | 'text' | 'filename';

/** Values that are compared whole. */
export type ExactKind = 'tag' | 'mailbox' | 'messageId' | 'id' | 'thread' | 'list';

/** Where parts of texts are looked for. People are names with addresses. */
export type PartField =
  | 'subject'
  | 'messageId'
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'envelopeFrom'
  | 'envelopeTo'
  | 'filename'
  /** The bodies, with the targets of links. */
  | 'body'
  /** The value of any header field. */
  | 'header';

/** Conditions that only the interfaces of other mail catchers name. */
type CompatCondition =
  /** A part of the text of one of the fields. */
  | { kind: 'contains'; fields: readonly PartField[]; part: TextPart }
  /** Has this tag of its address or of the field X-Tags; null stands for any. */
  | { kind: 'tagged'; tag: string | null }
  /** Has a file that the body does not show, or one that it shows. */
  | { kind: 'file' | 'inline' }
  /** No message matches the one, and each the other: none is ever read. */
  | { kind: 'read' | 'unread' };

export type Condition =
  | CompatCondition
  | { kind: 'words'; field: WordField; words: QueryWord[] }
  | { kind: 'address'; field: AddressField; address: string }
  | { kind: 'domain'; field: AddressField; domain: string }
  | { kind: 'header'; name: string; words: QueryWord[] }
  | { kind: ExactKind; value: string }
  | { kind: 'label'; label: Label }
  /** Received after or before a time. */
  | { kind: 'after' | 'before'; time: Date }
  /** Dated after a time, by its Date field. */
  | { kind: 'date'; time: Date }
  /** The raw mail has more or fewer bytes. */
  | { kind: 'larger' | 'smaller'; bytes: number }
  | { kind: 'attachment' | 'html' | 'claimed' | 'caught' };

export interface Term {
  condition: Condition;
  /** Whether messages that match the condition are excluded. */
  isExcluded: boolean;
}

export type ParsedQuery = readonly Term[];

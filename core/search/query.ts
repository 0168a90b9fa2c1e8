/** A parsed query: conditions that a message must all match. */
import type { Label } from '../../db/statements/reach.ts';
import type { QueryWord } from './words.ts';

/** The address fields of a message; `to` is any recipient. */
export type AddressField = 'from' | 'to' | 'cc' | 'replyTo';

/** Where words are looked for; `any` is everywhere except in the header. */
export type WordField = AddressField | 'any' | 'subject' | 'text' | 'filename';

/** Values that are compared whole. */
export type ExactKind = 'tag' | 'mailbox' | 'messageId' | 'id' | 'thread' | 'list';

export type Condition =
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

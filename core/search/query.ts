/** A parsed query: conditions that a message must all match. */
import type { Label } from '../../db/statements/reach.ts';
import type { QueryWord } from './words.ts';

/** The address fields of a message; `to` is any recipient. */
export type AddressField = 'from' | 'to' | 'cc';

/** Where words are looked for; `any` is everywhere except in the header. */
export type WordField = AddressField | 'any' | 'subject' | 'text' | 'filename';

export type Condition =
  | { kind: 'words'; field: WordField; words: QueryWord[] }
  | { kind: 'address'; field: AddressField; address: string }
  | { kind: 'domain'; field: AddressField; domain: string }
  | { kind: 'header'; name: string; words: QueryWord[] }
  | { kind: 'tag' | 'mailbox' | 'messageId' | 'id'; value: string }
  | { kind: 'label'; label: Label }
  /** Received after or before a time. */
  | { kind: 'after' | 'before'; time: Date }
  /** The raw mail has more or fewer bytes. */
  | { kind: 'larger' | 'smaller'; bytes: number }
  | { kind: 'attachment' | 'html' | 'claimed' | 'caught' };

export interface Term {
  condition: Condition;
  /** Whether messages that match the condition are excluded. */
  isExcluded: boolean;
}

export type ParsedQuery = readonly Term[];

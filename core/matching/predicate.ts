/**
 * What a request asks of messages: conditions that must all hold. Criteria of waits, claims and
 * streams and the terms of a search compile to it.
 */
import type { Sought } from './body.ts';
import type { Document } from './document.ts';
import type { Lane } from './slices.ts';

/** What a condition looks at: the parts of a {@link Document}, and the claim. */
export type Part =
  | 'summary'
  | 'claim'
  | 'addresses'
  | 'details'
  | 'filename'
  | 'html'
  | 'text'
  | 'links'
  | 'header'
  | 'extraction';

const BODY_PARTS: readonly Part[] = ['text', 'links', 'html', 'extraction'];

/** What of a message can change while it exists. */
export interface LiveState {
  isClaimed: boolean;
  /** Of a search. */
  mailbox?: { name: string; labels: Record<string, string> };
}

export interface Condition<Name extends string = string> {
  readonly name: Name;
  readonly needs: readonly Part[];
  /** What it looks for in the bodies. */
  readonly sought?: Sought;
  /** Conditions with the same key match the same messages. */
  readonly key: string;
  readonly matches: (document: Document, live: LiveState) => boolean;
}

export type Predicate<Name extends string = string> = readonly Condition<Name>[];

export function partsOf(predicate: Predicate): ReadonlySet<Part> {
  return new Set(predicate.flatMap(({ needs }) => needs));
}

/** What needs the bodies or the raw mail of messages does not delay what needs short parts. */
export function laneOf(predicate: Predicate): Lane {
  return areLong(partsOf(predicate)) ? 'long' : 'short';
}

/** Whether the bodies or the raw mail are read for these parts. */
export function areLong(parts: ReadonlySet<Part>): boolean {
  return parts.has('header') || readsBodies(parts);
}

export function readsBodies(parts: ReadonlySet<Part>): boolean {
  return BODY_PARTS.some((part) => parts.has(part));
}

export function seesClaims(predicate: Predicate): boolean {
  return predicate.some(({ needs }) => needs.includes('claim'));
}

/** Whether a message matches all conditions. */
export function matchesAll(predicate: Predicate, document: Document, live: LiveState): boolean {
  return predicate.every(({ matches }) => matches(document, live));
}

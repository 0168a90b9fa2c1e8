/**
 * Words and parts that are looked for in the bodies of a mail. Bodies of ordinary length are folded
 * once and kept. Of longer ones, and of those that folding makes long, only the answers leave the
 * child process.
 */
import type { MessageAndMail } from '../../db/statements/messages.ts';
import { NEVER, type Reading } from '../mime/reading.ts';
import { type Task, lengthOf } from '../mime/task.ts';
import { FoldedText } from '../text/folded-text.ts';
import { linkTargets } from '../text/link-targets.ts';
import type { TextPart } from '../text/text-part.ts';
import { visibleText } from '../text/visible-text.ts';
import type { QueryWord } from '../text/words.ts';

/** Characters of a body that conditions see. */
const MAX_BODY_UNITS = 1024 * 1024;
/**
 * Characters of both bodies of a mail that is folded and kept, and of what folding makes of them.
 */
const MAX_KEPT_UNITS = 32 * 1024;
const MAX_FOLDED_UNITS = 64 * 1024;
/** Up to this size, hostile bodies take less than 20 ms. */
const INLINE_UNITS = 16 * 1024;
/** What is looked for in one run over long bodies, each of which has a time limit. */
const ASKED_AT_ONCE = 100;

interface Bodies {
  text: string | null;
  html: string | null;
}

/** Words in a row, or a part of a text. */
export type Sought =
  | { words: readonly QueryWord[] }
  /** With links, the part is also looked for in their targets. */
  | { part: TextPart; inLinks: boolean };

/** What is looked for is found in one of the bodies. */
export interface Body {
  has: (sought: Sought) => boolean;
  /** Whether the targets of links are looked through. */
  readonly hasLinks: boolean;
  /** Characters that it keeps; null if it has only answers. */
  readonly units: number | null;
  /** Drops what the next use makes again. */
  forget: () => void;
}

export const keyOf = (sought: Sought): string => JSON.stringify(sought);

interface Asking {
  asked: Sought[];
  withLinks: boolean;
}

/** @throws {AppError} `unavailable` as `Reading.run` */
export async function readBody(
  reading: Reading,
  { message: { workspaceId }, mail }: MessageAndMail,
  { asked, withLinks }: Asking,
): Promise<Body> {
  const bodies = bodyTexts(mail);
  const reader = { workspaceId, gone: NEVER };
  if (lengthOf(bodies.text) + lengthOf(bodies.html) <= MAX_KEPT_UNITS) {
    const found = await reading.run(reader, foldedBodies, () => ({ ...bodies, withLinks }));
    if (found) return foldedBody(found, withLinks);
  }
  const found = new Map<string, boolean>();
  for (let at = 0; at < asked.length; at += ASKED_AT_ONCE) {
    const some = asked.slice(at, at + ASKED_AT_ONCE);
    const answers = await reading.run(reader, foundInBodies, () => ({ ...bodies, asked: some }));
    for (const [n, each] of some.entries()) found.set(keyOf(each), answers[n] ?? false);
  }
  const forget = () => undefined;
  return { has: (each) => found.get(keyOf(each)) ?? false, hasLinks: true, units: null, forget };
}

function foldedBody({ texts, links }: FoldedBodies, hasLinks: boolean): Body {
  const shown = texts.map((each) => new FoldedText(each, each));
  const targets = links.map((each) => new FoldedText(each, each));
  const all = [...shown, ...targets];
  return {
    has: (sought) => isIn(sought, shown, targets),
    hasLinks,
    units: all.reduce((sum, { folded }) => sum + folded.length, 0),
    forget() {
      for (const text of all) text.forget();
    },
  };
}

function isIn(sought: Sought, shown: FoldedText[], targets: readonly FoldedText[]): boolean {
  if ('words' in sought) return shown.some((text) => text.has(sought.words));
  const { part, inLinks } = sought;
  return (inLinks ? [...shown, ...targets] : shown).some((text) => text.contains(part));
}

interface FoldedBodies {
  texts: string[];
  links: string[];
}

/** The bodies that a mail has, folded; null if that makes them long. */
export const foldedBodies: Task<Bodies & { withLinks: boolean }, FoldedBodies | null> = {
  name: 'foldedBodies',
  sizeOf: sizeOfBodies,
  inlineSize: INLINE_UNITS,
  run({ withLinks, ...bodies }) {
    const texts = shownTexts(bodies).map((text) => new FoldedText(text).folded);
    const links = withLinks ? targetsOf(bodies).map((text) => new FoldedText(text).folded) : [];
    const units = [...texts, ...links].reduce((sum, { length }) => sum + length, 0);
    return units > MAX_FOLDED_UNITS ? null : { texts, links };
  },
};

/** For each that is asked for, whether a body has it. */
export const foundInBodies: Task<Bodies & { asked: Sought[] }, boolean[]> = {
  name: 'foundInBodies',
  sizeOf: sizeOfBodies,
  inlineSize: INLINE_UNITS,
  run({ asked, ...bodies }) {
    const shown = shownTexts(bodies).map((text) => new FoldedText(text));
    const needsLinks = asked.some((each) => 'part' in each && each.inLinks);
    const targets = needsLinks ? targetsOf(bodies).map((text) => new FoldedText(text)) : [];
    return asked.map((sought) => isIn(sought, shown, targets));
  },
};

function sizeOfBodies({ text, html }: Bodies): number {
  return lengthOf(text) + lengthOf(html);
}

/** The bodies as far as conditions see them. */
export function bodyTexts({ text, html }: Bodies): Bodies {
  return {
    text: text?.slice(0, MAX_BODY_UNITS) ?? null,
    html: html?.slice(0, MAX_BODY_UNITS) ?? null,
  };
}

/** The text part, and the visible text of the HTML; each that the mail has. */
export function shownTexts({ text, html }: Bodies): string[] {
  return [
    ...(text === null ? [] : [text]),
    ...(html === null ? [] : [visibleText(html, MAX_BODY_UNITS)]),
  ];
}

function targetsOf({ html }: Bodies): string[] {
  return html === null ? [] : linkTargets(html);
}

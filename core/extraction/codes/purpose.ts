/** What a code is for, where the mail does not call it one: "Use 914302 to sign in to Shop". */
import type { Block } from '../block.ts';
import type { Reason } from '../types.ts';
import type { CodeCandidate } from './candidates.ts';
import { type Place, SENTENCE_END } from './keywords.ts';
import type { Hit } from '../vocabulary.ts';
import type { NearWord } from './words-near.ts';

const WEIGHT = 0.43;
/** Characters between a candidate and a verb such as "enter". */
const VERB_WITHIN = 3;
const PURPOSE_WITHIN = 40;
const PURPOSES = ['signIn', 'verify', 'reset', 'proceed'] as const;
/** Between a candidate that begins a sentence, and what it is for: "914302 to log in". */
const TO =
  /^ (?:to|zum|zur|um|pour|para|per|om|för|for|til|untuk|để|чтобы|для|щоб|за|aby|pro|do|na|için|pentru|voor|a)(?: [\p{L}-]{1,8}){0,3} ?$/u;
const SENTENCE_START = /(?:^|[.!?:\])】。！？][ ]?)["'(*_]{0,3}$/;
/** Behind a number that is the first half of a word: "2048-bit". */
const WORD_GOES_ON = /^-\p{L}/u;

export function purposeOf(place: Place, candidate: CodeCandidate): Reason | null {
  const { at, words, blocks } = place;
  const { start, end, form } = candidate;
  const { text } = blocks[at] as Block;
  if (form === 'letters' || WORD_GOES_ON.test(text.slice(end, end + 2))) return null;
  const after = words.after(at, end, PURPOSES).filter(isNear);
  const begins = SENTENCE_START.test(text.slice(0, start).slice(-PURPOSE_WITHIN));
  const first = after.find(({ hit }) => TO.test(text.slice(end, hit.start)));
  if (begins && first) return reasonOf(first.hit);
  const verb = [...words.before(at, start, ['enter']), ...words.after(at, end, ['enter'])].find(
    (word) => word.blocks === 0 && word.distance <= VERB_WITHIN,
  );
  if (!verb) return null;
  const before = words.before(at, start, PURPOSES).filter(isNear);
  const named =
    after.find(({ hit }) => !SENTENCE_END.test(text.slice(end, hit.start))) ??
    before.find(({ hit }) => !SENTENCE_END.test(text.slice(hit.end, start)));
  return named ? reasonOf(named.hit) : null;
}

function isNear({ blocks, distance }: NearWord): boolean {
  return blocks === 0 && distance <= PURPOSE_WITHIN;
}

function reasonOf({ word }: Hit): Reason {
  return { rule: 'purpose', detail: word, weight: WEIGHT };
}

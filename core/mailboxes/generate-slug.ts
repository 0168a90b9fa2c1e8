import { randomInt } from 'node:crypto';

/** Short, friendly words that are easy to tell apart when read aloud. */
const adjectives =
  'amber blue bold brave brisk calm clear cosy crisp deft eager early fair fast fond fresh gentle glad golden good green happy hazel humble jolly keen kind light lively lucky mellow merry mild misty neat noble olive pale plain polite proud quick quiet rapid rosy round royal sharp shy silent silver smooth snowy soft solid spry still sunny swift tidy vivid warm wise witty'.split(
    ' ',
  );

const nouns =
  'acorn badger beetle birch bison brook cedar cloud clover comet coral crane cricket daisy dove eagle elm ember falcon fern finch forest fox garden grove hare harbor heron hill iris island ivy lake lark leaf lily linnet lotus lynx maple meadow moon moss moth oak orchid otter owl panda pebble pine plover pond poppy raven reed river robin rook sparrow spruce star stone swan thrush tulip valley violet walnut willow wren'.split(
    ' ',
  );

/** Without vowels, which could form words, and without look-alike characters. */
const SUFFIX_LETTERS = 'bcdfghjkmnpqrstvwxz23456789'.split('');
const SUFFIX_LENGTH = 7;

/** A mailbox name that is easy to read and hard to guess: two words and 33 random bits. */
export function generateSlug(): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => pick(SUFFIX_LETTERS)).join('');
  return `${pick(adjectives)}-${pick(nouns)}-${suffix}`;
}

function pick(choices: readonly string[]): string {
  return choices[randomInt(choices.length)] ?? '';
}

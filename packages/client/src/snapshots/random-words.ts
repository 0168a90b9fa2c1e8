/**
 * Tells ids and tokens from words by their neighboring characters. Of random letters, 37 % of the
 * pairs are common in words; of letters, digits and capitals in turn, fewer are.
 */

/**
 * By first letter, the letters that follow it in words: 250 pairs, chosen with the word lists of
 * English, German, French and Spanish and names of files so that few words seem random.
 */
const COMMON_PAIRS =
  'abcdeghiklmnprstuwy baeilorsuy caehiklortuy daeiory eabcdefghilmnprstwxy faefilorstu gaeiloru haeiostuy iacdefglmnoprstvz jaeiosu kaeior ladeiklostuy mabeilopsuy nacdegikostuy oabcdefghklmnoprstuwxy paeilopru qu racdegiklnostuy sacehiklmopqstuy taehimorstuy uabcdefgilmnprstz vaeio waeio xeiy yp zaeio';
const FOLLOWERS = new Map(COMMON_PAIRS.split(' ').map((row) => [row.slice(0, 1), row.slice(1)]));
const LEAST_RANDOM = 8;
/** What separators leave: neither a version, the ending of a file nor a number says much. */
const JUDGED = /^(?!\d+$).{4}/;
const LEAST_COMMON = 0.6;
/** In long words of one case, which have more of them: a random one seldom has so many. */
const LEAST_IN_LONG = 0.67;
const LONG = /^(?:[a-z]{16,}|[A-Z]{16,})$/;

/** Whether a word is an id or a token: nobody has written it. */
export function looksRandom(word: string): boolean {
  if (word.length < LEAST_RANDOM || !/^[\w~.%-]+$/.test(word)) return false;
  const runs = word.replace(/%[\da-f]{2}/gi, '-').match(/[A-Za-z\d]+/g) ?? [];
  return !areSpelled(runs.filter((run) => JUDGED.test(run)));
}

/** Whether a part beside a random one is an id too, such as the number of a user. */
export function looksLikeShortId(part: string): boolean {
  if (part.length >= LEAST_RANDOM || !/^[a-z_~.%-]*[A-Z\d][\w~.%-]*$/.test(part)) return false;
  return !/^v\d+$/i.test(part) && !(/^[A-Za-z][a-z]{2,}\d?$/.test(part) && areSpelled([part]));
}

function areSpelled(runs: string[]): boolean {
  const pairs = runs.flatMap((run) =>
    Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)),
  );
  const least = LONG.test(runs.join('')) ? LEAST_IN_LONG : LEAST_COMMON;
  return pairs.filter(isCommon).length >= pairs.length * least;
}

/** A capital begins a word, or stands in a word of capitals. */
function isCommon(pair: string): boolean {
  const [first = '', second = ''] = pair.toLowerCase();
  return !/[a-z][A-Z]/.test(pair) && (FOLLOWERS.get(first)?.includes(second) ?? false);
}

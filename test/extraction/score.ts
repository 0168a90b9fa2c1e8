/** Counts right answers, with intervals. */
import { extract } from '../../core/extraction/extract.ts';
import type { Extraction } from '../../core/extraction/types.ts';
import { plain } from './render.ts';
import type { Sample } from './sample.ts';

export interface Score {
  right: number;
  of: number;
}

export interface Verdict {
  sample: Sample;
  isRight: boolean;
  naiveIsRight: boolean;
  found: Extraction;
}

const Z = 1.96;

export function judge(sample: Sample): Verdict {
  const { subject, text, html, from, asks, code, link } = sample;
  const headers = { listUnsubscribe: null, listUnsubscribePost: null };
  const found = extract({ subject, text, html, from, ...headers });
  const shown = `${subject}\n${text ?? plain(html ?? '')}`;
  const naiveCode = /\b\d{4,8}\b/.exec(shown)?.[0] ?? null;
  const naiveLink = /https?:\/\/[^\s"'<>]+/.exec(text ?? html ?? '')?.[0] ?? null;
  const [isRight, naiveIsRight] =
    asks === 'link'
      ? [found.link === link, naiveLink === link]
      : [found.code === code, naiveCode === code];
  return { sample, isRight, naiveIsRight, found };
}

export function scoreOf(verdicts: boolean[]): Score {
  return { right: verdicts.filter(Boolean).length, of: verdicts.length };
}

/** Wilson's interval for 95 %, in percent. */
export function wilson({ right, of }: Score): [low: number, high: number] {
  if (of === 0) return [0, 100];
  const part = right / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (part + Z ** 2 / (2 * of)) / scale;
  const reach = (Z / scale) * Math.sqrt((part * (1 - part)) / of + Z ** 2 / (4 * of ** 2));
  return [100 * Math.max(0, middle - reach), 100 * Math.min(1, middle + reach)];
}

export function percent(score: Score): string {
  const [low, high] = wilson(score);
  const value = score.of === 0 ? '-' : `${((100 * score.right) / score.of).toFixed(2)} %`;
  return `${value.padStart(8)}  [${low.toFixed(2)}, ${high.toFixed(2)}]  ${score.right}/${score.of}`;
}

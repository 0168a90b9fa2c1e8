/** The targets of links, which are no part of the visible text. */
import { readTags } from './read-tags.ts';

/** @param html is read as a whole */
export function linkTargets(html: string): string[] {
  const targets: string[] = [];
  readTags(html, {
    opened(element, { href }) {
      if ((element === 'a' || element === 'area') && href) targets.push(href);
    },
    closed: () => undefined,
  });
  return targets;
}

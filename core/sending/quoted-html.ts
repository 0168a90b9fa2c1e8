/** The HTML of a quoted mail as a part of another document. */
import { type TagPlace, readTags } from '../text/read-tags.ts';

/** Elements of which only the content is quoted. */
const UNWRAPPED = new Set(['html', 'head', 'body']);
/** Elements that are about the document, or run. None contains elements. */
const DROPPED = new Set(['title', 'meta', 'base', 'link', 'script']);

/** A document without its own frame. Everything else stays as it is written. */
export function quotedHtml(html: string): string {
  const kept: string[] = [];
  let from = 0;
  const leaveOut = ({ start, end, isImplied }: TagPlace) => {
    if (isImplied) return;
    kept.push(html.slice(from, start));
    from = end;
  };
  let isDropping = false;
  readTags(html, {
    opened(name, _, place) {
      if (UNWRAPPED.has(name) || DROPPED.has(name)) leaveOut(place);
      isDropping = DROPPED.has(name);
    },
    closed(name, place) {
      // What is dropped begins at its start tag.
      if (isDropping) from = Math.max(from, place.end);
      else if (UNWRAPPED.has(name)) leaveOut(place);
      isDropping = false;
    },
    declared: leaveOut,
  });
  kept.push(html.slice(from));
  return kept.join('').trim();
}

/** A document with HTML at the end of its body. */
export function appendHtml(html: string, added: string): string {
  const end = /<\/(?:body|html)\s*>(?:\s|<\/html\s*>)*$/i.exec(html.slice(-100));
  const at = end ? html.length - end[0].length : html.length;
  return html.slice(0, at) + added + html.slice(at);
}

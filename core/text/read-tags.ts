/** Reads HTML tag by tag, in time linear in its length. */
import { Parser } from 'htmlparser2';
import { RAW } from './elements.ts';

/** Where a tag stands: indexes of its first character and of the one after it. */
export interface TagPlace {
  start: number;
  end: number;
  /** The tag is not written: HTML implies it. */
  isImplied: boolean;
}

export interface TagHandler {
  opened: (name: string, attributes: Record<string, string>, place: TagPlace) => void;
  closed: (name: string, place: TagPlace) => void;
  text?: (piece: string) => void;
  /** A document type or another declaration. */
  declared?: (place: TagPlace) => void;
}

/**
 * Elements inside each other. The parser looks for the start of each end tag among them, so below
 * this depth a new parser continues. It knows no earlier start tags.
 */
export const MAX_DEPTH = 400;

/** Tells the handler the tags and the text of HTML. Names are in lower case. */
export function readTags(html: string, handler: TagHandler): void {
  for (let at = 0; at < html.length;) at = readPart(html, at, handler);
}

/** @returns where the next part begins. */
function readPart(html: string, start: number, handler: TagHandler): number {
  let depth = 0;
  let next = html.length;
  const place = (isImplied: boolean): TagPlace => ({
    start: start + parser.startIndex,
    end: start + parser.endIndex + 1,
    isImplied,
  });
  const parser = new Parser({
    onopentag(name, attributes, isImplied) {
      handler.opened(name, attributes, place(isImplied));
      depth += 1;
      if (depth <= MAX_DEPTH || isImplied || RAW.has(name)) return;
      next = start + parser.endIndex + 1;
      parser.pause();
    },
    onclosetag(name, isImplied) {
      depth -= 1;
      handler.closed(name, place(isImplied));
    },
    ontext: (piece) => handler.text?.(piece),
    onprocessinginstruction: () => handler.declared?.(place(false)),
  });
  parser.write(html.slice(start));
  if (next === html.length) parser.end();
  return next;
}

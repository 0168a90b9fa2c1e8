import { extract } from '../../../core/extraction/extract.ts';
import type { Extraction, ExtractionInput } from '../../../core/extraction/types.ts';

/** A mail of `shop.example` with these parts. */
export function mailParts(parts: Partial<ExtractionInput>): ExtractionInput {
  return {
    subject: '',
    text: null,
    html: null,
    from: 'hello@shop.example',
    listUnsubscribe: null,
    listUnsubscribePost: null,
    ...parts,
  };
}

export function extractFrom(parts: Partial<ExtractionInput>): Extraction {
  return extract(mailParts(parts));
}

export function inBody(body: string): string {
  return `<!doctype html><html><head><title>Mail 111111</title></head><body>${body}</body></html>`;
}

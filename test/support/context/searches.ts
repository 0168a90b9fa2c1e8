import type { Context } from '../../../core/context.ts';
import { openDocuments } from '../../../core/matching/documents.ts';
import { openSlices } from '../../../core/matching/slices.ts';
import type { Searches } from '../../../core/search/search.ts';

/** What the searches of a process share; no query looks at extractions. */
export function searchesOf(context: Context): Searches {
  const extractions = { of: () => Promise.reject(new Error('not needed')) };
  return { documents: openDocuments(context, extractions), slices: openSlices() };
}

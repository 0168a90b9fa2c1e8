import { type RawStart, readRaw } from '../../rest/messages.js';
import { type Loaded, useLoaded } from '../../state/use-loaded.js';

/** The source view shows the first 256 KB. */
const SHOWN_BYTES = 262_144;

export function useRaw(name: string, id: string): Loaded<RawStart> {
  return useLoaded(id, (signal) => readRaw(name, id, SHOWN_BYTES, signal));
}

import { type RawStart, readRaw } from '../../rest/messages.js';
import { type Loaded, useLoaded } from '../../state/use-loaded.js';

/** As much of a source as anybody reads. */
const SHOWN_BYTES = 262_144;

export function useRaw(name: string, id: string): Loaded<RawStart> {
  return useLoaded(id, (signal) => readRaw(name, id, SHOWN_BYTES, signal));
}

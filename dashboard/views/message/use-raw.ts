import { type RawStart, readRaw } from '../../rest/messages.ts';
import { type Loaded, useLoaded } from '../../state/use-loaded.ts';

/** The source view shows the first 256 KB. */
const SHOWN_BYTES = 262_144;

export function useRaw(name: string, id: string): Loaded<RawStart> {
  return useLoaded(id, (signal) => readRaw(name, id, SHOWN_BYTES, signal));
}

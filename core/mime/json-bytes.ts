/** Values with what senders wrote, as JSON. */
import { ownBytes } from '../bounded-cache.ts';
import type { Task } from './task.ts';

interface JsonInput {
  values: unknown[];
  /** Text before each of them. */
  before: string;
}

/** Each value as UTF-8 in memory of its own. */
export const jsonBytes: Task<JsonInput, Buffer[]> = {
  name: 'jsonBytes',
  sizeOf: ({ values }) => sizeOfValue(values),
  inlineSize: 128 * 1024,
  run: ({ values, before }) => values.map((value) => ownBytes(before + JSON.stringify(value))),
};

/** Characters of texts; 16 for another value, as large arrays take time too. */
export function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 16;
  let size = 16;
  for (const [key, each] of Object.entries(value)) size += key.length + sizeOfValue(each);
  return size;
}

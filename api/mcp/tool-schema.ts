/**
 * Schemas of tools as clients of language models take them: Gemini and others refuse the keywords
 * below, which say nothing that a model needs. Arguments are validated by the full schema.
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';

const LEFT_OUT = new Set(['$schema', 'additionalProperties', 'propertyNames']);
/** The bounds that zod gives to integers. */
const SAFE_INTEGERS = new Set<unknown>([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]);

/** The schema with a plainer form in JSON. */
export function plainSchema(schema: z.ZodObject): StandardSchemaWithJSON {
  const standard = schema['~standard'];
  const { jsonSchema } = standard;
  return {
    '~standard': {
      ...standard,
      jsonSchema: {
        input: (options) => plainObject(jsonSchema.input(options)),
        output: (options) => plainObject(jsonSchema.output(options)),
      },
    },
  };
}

function plain(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(plain);
  return typeof part === 'object' && part !== null ? plainObject(part) : part;
}

function plainObject(part: object): Record<string, unknown> {
  const kept = Object.entries(part).filter(
    ([key, value]) => !LEFT_OUT.has(key) && !SAFE_INTEGERS.has(value),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, plain(value)]));
}

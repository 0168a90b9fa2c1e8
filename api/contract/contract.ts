import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import * as z from 'zod';
import { ROOT } from '../../core/root.ts';
import type { IntegerParameter } from '../http/query.ts';
import type { components, operations } from './contract.gen.ts';

export const CONTRACT = join(ROOT, 'openapi.yaml');

/** The same as JSON, which the build writes: parsing the YAML takes 0.3 s of the processor. */
export const CONTRACT_JSON = join(ROOT, 'dist/openapi.json');

/** What openapi.yaml requires of requests and responses, without its prose. */
export type Contract = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>['apiDoc'];

/** Generated from openapi.yaml by the build. */
type Schemas = components['schemas'];

/** The schema of a request or response body. */
export type Shape<Name extends keyof Schemas> = Schemas[Name];

/** The query parameters of an operation, without defaults. */
export type QueryParameters<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;

/** Keys of a path that are operations in this contract. */
export const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Keywords for readers. Validators ignore them, and would hold a copy of them per path. */
const PROSE = new Set(['summary', 'description', 'example', 'examples']);

/** By kind and name. */
const componentsOf = z.record(z.string(), z.record(z.string(), z.unknown()));

let known: Contract | undefined;

/** Reads the file once per process. The linter validates the file. */
export function readContract(): Contract {
  known ??= asContract(withoutProse(JSON.parse(readFileSync(CONTRACT_JSON, 'utf8'))));
  return known;
}

/**
 * @param areNames whether the keys of `part` are names of fields, which may be equal to a keyword.
 */
function withoutProse(part: unknown, areNames = false): unknown {
  if (Array.isArray(part)) return part.map((item) => withoutProse(item));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([key]) => areNames || !PROSE.has(key))
      .map(([key, value]) => [key, withoutProse(value, !areNames && key === 'properties')]),
  );
}

/**
 * A copy of the contract with one path and all components it refers to, because the library
 * traverses the whole contract several times per path.
 */
export function contractOf(contract: Contract, path: string): Contract {
  const operations = contract.paths?.[path];
  const kinds = Object.entries(componentsOf.parse(contract.components ?? {}));
  const reached = new Set(referencesIn(operations));
  // Iteration over a Set includes elements added meanwhile.
  for (const reference of reached) {
    for (const [kind, components] of kinds) {
      for (const [name, component] of Object.entries(components)) {
        if (reference !== referenceTo(kind, name)) continue;
        for (const further of referencesIn(component)) reached.add(further);
      }
    }
  }
  const isKept = (kind: string, name: string) =>
    kind === 'securitySchemes' || reached.has(referenceTo(kind, name));
  const components = Object.fromEntries(
    kinds.map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => isKept(kind, name))),
    ]),
  );
  return asContract(structuredClone({ ...contract, paths: { [path]: operations }, components }));
}

/** A path, or one of its operations. */
const withParameters = z.object({
  parameters: z.array(z.looseObject({ $ref: z.string().optional() })),
});
const queryInteger = z.object({
  name: z.string(),
  in: z.literal('query'),
  schema: z.looseObject({ type: z.literal('integer') }),
});
const bounds = z.object({ minimum: z.int().min(0), maximum: z.int() });

/**
 * The integers in the query of the operations of a path.
 * @throws if one has no bounds from 0 up: the query takes only decimal digits.
 */
export function integersOf(contract: Contract, path: string): IntegerParameter[] {
  const item: Record<string, unknown> = { ...contract.paths?.[path] };
  const named: Record<string, unknown> = contract.components?.parameters ?? {};
  return [item, ...Object.values(item)]
    .flatMap((part) => withParameters.safeParse(part).data?.parameters ?? [])
    .map(({ $ref = '', ...each }) => named[$ref.replace(referenceTo('parameters', ''), '')] ?? each)
    .flatMap((each) => queryInteger.safeParse(each).data ?? [])
    .map(({ name, schema }) => ({ name, ...bounds.parse(schema) }));
}

const referenceTo = (kind: string, name: string) => `#/components/${kind}/${name}`;

/** All strings that refer to a component: values of `$ref`, and of a discriminator's mapping. */
function referencesIn(part: unknown): string[] {
  if (typeof part === 'string') return part.startsWith('#/components/') ? [part] : [];
  if (typeof part !== 'object' || part === null) return [];
  return Object.values(part).flatMap(referencesIn);
}

function asContract(value: unknown): Contract {
  return z.custom<Contract>().parse(value);
}

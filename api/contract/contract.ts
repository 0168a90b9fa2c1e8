import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator.js';
import { parse } from 'yaml';
import { z } from 'zod';

/** The contract, relative to `dist/api`. */
export const CONTRACT = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

export type ContractJson = Awaited<Parameters<OpenApiValidator['installMiddleware']>[0]>['apiDoc'];

/** Keys of a path that are operations in this contract. */
export const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** openapi.yaml as text and parsed. */
export interface Contract {
  readonly yaml: string;
  readonly json: ContractJson;
}

/** By kind and name. */
const componentsOf = z.record(z.string(), z.record(z.string(), z.unknown()));

let contract: Contract | undefined;

/** Reads the file once per process; parsing takes 0.1 s. The linter validates the file. */
export function readContract(): Contract {
  contract ??= parseContract(readFileSync(CONTRACT, 'utf8'));
  return contract;
}

function parseContract(yaml: string): Contract {
  return { yaml, json: asContract(parse(yaml)) };
}

/**
 * A copy of the contract with one path and all components it refers to, because the library
 * traverses the whole contract several times per path.
 */
export function contractOf({ json }: Contract, path: string): ContractJson {
  const operations = json.paths?.[path];
  const kinds = Object.entries(componentsOf.parse(json.components ?? {}));
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
  return asContract(structuredClone({ ...json, paths: { [path]: operations }, components }));
}

const referenceTo = (kind: string, name: string) => `#/components/${kind}/${name}`;

/** All strings that refer to a component: values of `$ref`, and of a discriminator's mapping. */
function referencesIn(part: unknown): string[] {
  if (typeof part === 'string') return part.startsWith('#/components/') ? [part] : [];
  if (typeof part !== 'object' || part === null) return [];
  return Object.values(part).flatMap(referencesIn);
}

function asContract(value: unknown): ContractJson {
  return z.custom<ContractJson>().parse(value);
}

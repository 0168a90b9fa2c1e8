import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type OpenApiValidator from 'express-openapi-validator';
import { parse } from 'yaml';
import { z } from 'zod';

/** From `dist/api`, where this runs, to the contract. */
export const CONTRACT = fileURLToPath(new URL('../../openapi.yaml', import.meta.url));

export type ContractJson = Exclude<
  Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'],
  string
>;

/** openapi.yaml, as it is written and as what it says. */
export interface Contract {
  yaml: string;
  json: ContractJson;
}

/** Takes a tenth of a second. That the file is a contract, the linter has seen to. */
export function readContract(): Contract {
  const yaml = readFileSync(CONTRACT, 'utf8');
  return { yaml, json: z.custom<ContractJson>().parse(parse(yaml)) };
}

import { fileURLToPath } from 'node:url';
import type { RequestHandler } from 'express';
import OpenApiValidator from 'express-openapi-validator';

/** From `dist/api`, where this runs, to the contract. */
export const CONTRACT = fileURLToPath(new URL('../../openapi.yaml', import.meta.url));

/** Refuses what openapi.yaml does not allow; with `responses`, answers that break it become errors. */
export function validateAgainstContract(options: { responses: boolean }): RequestHandler[] {
  return OpenApiValidator.middleware({
    apiSpec: CONTRACT,
    validateRequests: true,
    validateResponses: options.responses,
    validateSecurity: false, // done before any body is read
  });
}

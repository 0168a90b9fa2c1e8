/** Types of the contract. The build generates them from openapi.yaml. */
import type { components, operations } from './contract.gen.ts';

type Schemas = components['schemas'];

/** The schema of a request or response body. */
export type Shape<Name extends keyof Schemas> = Schemas[Name];

/** The query parameters of an operation, without defaults. */
export type Query<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;

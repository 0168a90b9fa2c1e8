/** What openapi.yaml says things look like, as types; the build generates them from that file. */
import type { components, operations } from './contract.gen.js';

type Schemas = components['schemas'];

/** A request or response body by the name of its schema. */
export type Shape<Name extends keyof Schemas> = Schemas[Name];

/** The query parameters of an operation, defaults not yet filled in. */
export type Query<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
>;

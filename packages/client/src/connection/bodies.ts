import type { components, paths } from '../contract.gen.ts';

type Schemas = components['schemas'];
type Wait = paths['/api/mailboxes/{name}/messages/wait']['get'];

export type ClaimData = Schemas['Claim'];
export type ClaimMatch = NonNullable<Schemas['ClaimRequest']['match']>;
export type ErrorBody = Schemas['Error'];
export type WaitQuery = NonNullable<Wait['parameters']['query']>;
export type WaitResult = Schemas['WaitResult'];

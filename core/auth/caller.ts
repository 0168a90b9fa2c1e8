import type { TokenRow } from '../../db/statements/tokens.ts';
import type { WorkspaceRow } from '../../db/statements/workspaces.ts';

/** The token of a request and the workspace it belongs to. */
export interface Caller {
  token: TokenRow;
  workspace: WorkspaceRow;
}

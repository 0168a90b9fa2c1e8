import type { TokenRow } from '../../db/statements/tokens.js';
import type { WorkspaceRow } from '../../db/statements/workspaces.js';

/** The token of a request and the workspace it belongs to. */
export interface Caller {
  token: TokenRow;
  workspace: WorkspaceRow;
}

import type { ApiError } from '../rest/api-error.js';
import { Icon } from './icon.js';

/** A failure beside what was tried; nothing while there is none. */
export function ErrorText({ error }: { error: ApiError | null }) {
  return (
    <div role="alert">
      {error && (
        <p class="error-text">
          <Icon name="alert" />
          <span>{error.message}</span>
        </p>
      )}
    </div>
  );
}

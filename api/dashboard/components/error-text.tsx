import type { ComponentChildren } from 'preact';
import type { ApiError } from '../rest/api-error.js';
import { Icon } from './icon.js';

/** A failure beside what was tried, and what may be behind it; nothing while there is none. */
export function ErrorText({
  error,
  children,
}: {
  error: ApiError | null;
  children?: ComponentChildren;
}) {
  return (
    <div role="alert">
      {error && (
        <p class="error-text">
          <Icon name="alert" />
          <span>
            {error.message} {children}
          </span>
        </p>
      )}
    </div>
  );
}

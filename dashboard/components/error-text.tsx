import type { ComponentChildren } from 'preact';
import type { ApiError } from '../rest/api-error.ts';
import { Icon } from './icon.tsx';

/** An inline error message with an optional hint. Empty if `error` is null. */
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

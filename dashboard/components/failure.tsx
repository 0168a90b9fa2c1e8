import type { ComponentChildren } from 'preact';
import type { ApiError } from '../rest/api-error.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Placeholder for content that failed to load, with a retry button. */
export function Failure({
  title,
  error,
  onRetry,
  children,
}: {
  title: string;
  error: ApiError;
  onRetry: () => void;
  children?: ComponentChildren;
}) {
  return (
    <div class="notice" role="alert">
      <span class="notice-mark is-bad">
        <Icon name="alert" />
      </span>
      <h2>{title}</h2>
      <p>{error.message}</p>
      <div class="row">
        <Button icon="refresh" onClick={onRetry}>
          Try again
        </Button>
        {children}
      </div>
    </div>
  );
}

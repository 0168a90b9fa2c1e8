import type { ComponentChildren } from 'preact';
import type { ApiError } from '../rest/api-error.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Gray placeholder lines shown while content loads. */
export function Skeleton({ lines, kind = 'text' }: { lines: number; kind?: 'text' | 'rows' }) {
  return (
    <div class={`skeleton skeleton-${kind}`} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** Placeholder for empty content, with the next possible action. */
export function Notice({
  icon,
  title,
  children,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="notice">
      <span class="notice-mark">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

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

import { Icon } from '../components/icon.tsx';
import { waitingUntil } from '../rest/rate-limit.ts';
import { now } from '../state/clock.ts';

/** Shown while requests wait after a 429 response. */
export function RateBanner() {
  const until = waitingUntil.value;
  if (until === null) return null;
  const seconds = Math.max(1, Math.ceil((until - now.value) / 1000));
  return (
    <div class="banner" role="status">
      <Icon name="clock" />
      <span>Rate limit of the workspace reached. Requests resume in {seconds} s.</span>
    </div>
  );
}

import { Icon } from '../components/icon.js';
import { waitingUntil } from '../rest/retry-after.js';
import { now } from '../state/clock.js';

/** Shown while requests wait for the next minute's worth. */
export function RateBanner() {
  const until = waitingUntil.value;
  if (until === null) return null;
  const seconds = Math.max(1, Math.ceil((until - now.value) / 1000));
  return (
    <div class="banner" role="status">
      <Icon name="clock" />
      <span>
        The workspace has used up its requests of this minute. Going on by itself in {seconds} s.
      </span>
    </div>
  );
}

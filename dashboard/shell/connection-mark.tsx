import { connection } from '../state/live.ts';

const texts = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Reconnecting',
};

/** The state of the event stream. */
export function ConnectionMark() {
  const state = connection.value;
  return (
    <span class={`connection connection-${state}`} role="status">
      <span class="connection-dot" aria-hidden="true" />
      {texts[state]}
    </span>
  );
}

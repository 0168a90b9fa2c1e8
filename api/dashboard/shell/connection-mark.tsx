import { connection } from '../state/live.js';

const texts = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Reconnecting',
};

/** Whether what is shown is of now. */
export function ConnectionMark() {
  const state = connection.value;
  return (
    <span class={`connection connection-${state}`} role="status">
      <span class="connection-dot" aria-hidden="true" />
      {texts[state]}
    </span>
  );
}

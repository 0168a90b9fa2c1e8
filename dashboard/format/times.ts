const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Formats a past time as `just now`, `4 min ago`, `3 h ago` or `2 d ago`, a future one as `in 4
 * min`.
 */
export function relative(time: number, now: number): string {
  const distance = Math.abs(now - time);
  const text = rough(distance);
  if (text === null) return time > now + 1000 ? 'in a moment' : 'just now';
  return time > now ? `in ${text}` : `${text} ago`;
}

function rough(ms: number): string | null {
  if (ms < MINUTE) return null;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** Formats a remaining time in one unit: `2 d`, `3 h`, `4 min`, `< 1 min`. */
export function roughSpan(ms: number): string {
  return rough(Math.max(0, ms)) ?? '< 1 min';
}

/** Formats a remaining time with seconds: `23 h 59 min 04 s`, `12 min 04 s`, `9 s`. */
export function remaining(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [h, min, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => `${value}`.padStart(2, '0');
  if (h > 0) return `${h} h ${two(min)} min ${two(s)} s`;
  return min > 0 ? `${min} min ${two(s)} s` : `${s} s`;
}

/** Formats the duration of a setting: `30 seconds`, `24 hours`. */
export function span(ms: number): string {
  if (ms % HOUR === 0) return ms === HOUR ? '1 hour' : `${ms / HOUR} hours`;
  return ms % MINUTE === 0 ? `${ms / MINUTE} minutes` : `${Math.round(ms / 1000)} seconds`;
}

const absoluteFormat = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
});

export function absolute(time: number): string {
  return absoluteFormat.format(time);
}

/** Formats a measured duration: `1.4 s`, `240 ms`. */
export function duration(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms} ms`;
}

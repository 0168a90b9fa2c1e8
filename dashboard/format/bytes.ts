const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

/**
 * Formats a size, for example `12.4 KiB`. A unit is 1,024 of the one below, as in the API limits.
 */
export function bytes(count: number): string {
  if (count === 1) return '1 byte';
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`;
}

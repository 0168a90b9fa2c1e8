/**
 * A signal persisted in localStorage and shared by all tabs. Without storage it lasts as long as
 * the page.
 */
import { effect, signal, type Signal } from '@preact/signals';

export function stored<Value>(
  key: string,
  initial: Value,
  isValid: (value: unknown) => value is Value,
): Signal<Value> {
  const kept = signal(read(key, initial, isValid));
  effect(() => {
    try {
      localStorage.setItem(key, JSON.stringify(kept.value));
    } catch {
      // storage is full or blocked
    }
  });
  // Another tab has changed the value. Storing it again causes no further event.
  addEventListener('storage', (event) => {
    if (event.key === key) kept.value = read(key, initial, isValid);
  });
  return kept;
}

function read<Value>(
  key: string,
  initial: Value,
  isValid: (value: unknown) => value is Value,
): Value {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isValid(value) ? value : initial;
  } catch {
    return initial;
  }
}

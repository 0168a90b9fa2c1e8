/**
 * Loaded before a process of the product: moves its clock by the milliseconds in a file. Timers are
 * not affected, as when the time of the machine changes.
 */
import { readFileSync } from 'node:fs';
import { CLOCK_VARIABLE } from './points.ts';

const LOOK_EVERY_MS = 20;

const file = process.env[CLOCK_VARIABLE];
if (file !== undefined) moveClock(file);

function moveClock(path: string): void {
  const offset = () => Number(readFileSync(path, 'utf8').trim() || 0);
  let moved = offset();
  setInterval(() => (moved = offset()), LOOK_EVERY_MS).unref();

  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given: ConstructorParameters<typeof Date> | []) {
      if (given.length === 0) super(Real.now() + moved);
      else super(...given);
    }

    static override now(): number {
      return Real.now() + moved;
    }
  } as DateConstructor;
}

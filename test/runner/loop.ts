const NUMBERS = 2 ** 18;
const ROUNDS = 3;

/**
 * CPU seconds of a fixed piece of work: numbers are made and sorted. Figures of different machines,
 * and of a machine under different load, are compared in units of it.
 */
export function timeLoop(): number {
  const before = process.cpuUsage();
  const numbers = new Uint32Array(NUMBERS);
  for (let round = 1; round <= ROUNDS; round += 1) {
    let value = round;
    for (let n = 0; n < NUMBERS; n += 1) {
      value ^= value << 13;
      value ^= value >>> 17;
      value ^= value << 5;
      numbers[n] = value;
    }
    numbers.sort();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

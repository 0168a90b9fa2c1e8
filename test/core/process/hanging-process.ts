/**
 * A process of the product that hangs when it gets SIGUSR2, or as soon as it is ready if the
 * argument is `at-once`, watched every 100 ms. It prints how many threads it has.
 */
import { runProcess } from '../../../core/process/run-process.ts';

function hang(): void {
  for (;;);
}

process.on('SIGUSR2', hang);
let threads = 0;
process.on('worker', (thread) => {
  console.log(`threads ${(threads += 1)}`);
  thread.on('exit', () => {
    console.log(`threads ${(threads -= 1)}`);
  });
});
const held = setInterval(() => undefined, 1000);
runProcess(
  'smtp',
  async () => {
    if (process.argv[2] === 'at-once') setImmediate(hang);
    return {
      stop: async () => {
        clearInterval(held);
      },
    };
  },
  { everyMs: 100, ticks: 5 },
);

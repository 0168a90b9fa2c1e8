/** A process of the product that hangs when it gets SIGUSR2, watched every 100 ms. */
import { runProcess } from '../../../core/process/run-process.ts';

process.on('SIGUSR2', () => {
  for (;;);
});
const held = setInterval(() => undefined, 1000);
runProcess(
  'smtp',
  async () => ({
    stop: async () => {
      clearInterval(held);
    },
  }),
  { everyMs: 100, ticks: 5 },
);

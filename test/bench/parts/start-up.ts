/** Time from an empty folder to a ready product. */
import { makeTempDir } from '../../support/context/temp-dir.ts';
import { startProduct } from '../../support/process/product.ts';
import { type Figure, median } from '../figures.ts';

const RUNS = 5;

export async function startUpFigures(): Promise<Figure[]> {
  const first: number[] = [];
  const again: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const folder = await makeTempDir();
    first.push(await startTime(folder.path));
    again.push(await startTime(folder.path));
    await folder.remove();
  }
  return [
    figure('start-up in an empty folder, median of 5', first),
    figure('start-up where it ran before, median of 5', again),
  ];
}

async function startTime(dataDir: string): Promise<number> {
  const began = performance.now();
  const product = await startProduct({ DATA_DIR: dataDir });
  const took = performance.now() - began;
  await product.stop();
  return took;
}

function figure(work: string, times: number[]): Figure {
  const ms = median(times);
  return { work, result: `${(ms / 1000).toFixed(2)} s`, values: { ms } };
}

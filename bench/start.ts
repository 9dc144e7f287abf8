import { TiphysProcess } from './process.ts';
import { markdownTable, mebibytes, median, seconds } from './table.ts';

/** `npm start` on an installed checkout: from the start of the process to the example application being Healthy. */
export async function benchStart(runs = 5): Promise<string> {
  const times: number[] = [];
  const memory: number[] = [];
  for (let run = 0; run < runs; run++) {
    const tiphys = new TiphysProcess([]);
    try {
      await tiphys.printed(/Tiphys is up/);
      times.push(performance.now() - tiphys.started);
      memory.push(tiphys.memory());
    } finally {
      await tiphys.stop();
    }
  }
  const row = [
    'process start → example Healthy',
    seconds(median(times)),
    seconds(Math.min(...times)),
    seconds(Math.max(...times)),
    mebibytes(median(memory)),
  ];
  return `## Start (${runs} runs)\n\n${markdownTable(['what', 'median', 'min', 'max', 'memory'], [row])}`;
}

import { parentPort } from 'node:worker_threads';
import { diagnosisOf } from '@tiphys/diagnosis';
import { assembleValues, loadArchive, loadChart, memoryFiles, renderChart } from '../index.ts';
import type { HostileOutcome, HostileTask } from './render-hostile.ts';

function render(task: HostileTask): HostileOutcome {
  try {
    const chart = task.archive
      ? loadArchive(task.archive)
      : loadChart(memoryFiles({ 'Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n', ...task.files }));
    const { values } = assembleValues(task.values ?? {});
    const rendered = renderChart({
      chart,
      values,
      release: { name: 'rel', namespace: 'default' },
      limits: {
        steps: 3_000_000,
        string: 1_000_000,
        list: 100_000,
        copies: 300_000,
        output: 10_000_000,
        depth: 300,
        ...task.limits,
      },
    });
    return { text: rendered.manifests.map(({ content }) => content).join('\n') };
  } catch (error) {
    return { diagnosis: diagnosisOf(error) };
  }
}

parentPort?.on('message', (task: HostileTask) => parentPort?.postMessage(render(task)));

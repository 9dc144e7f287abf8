import { parentPort, workerData } from 'node:worker_threads';
import { diagnosisOf } from '@tiphys/diagnosis';
import { memoryFiles } from '../chart/chart-files.ts';
import { loadArchive, loadChart } from '../chart/load-chart.ts';
import { logText, type Warn } from '../log.ts';
import { assembleValues } from '../values/assemble-values.ts';
import { recordingRecorder } from './recording-recorder.ts';
import { renderChart } from './render-chart.ts';
import type { WorkerAnswer, WorkerRequest, WorkerResult } from './render-in-worker.ts';

function render(request: WorkerRequest): WorkerResult {
  const warnings: string[] = [];
  const warn: Warn = (message, details) => void warnings.push(logText(message, details));
  const chart =
    'archive' in request.chart
      ? loadArchive(request.chart.archive, { warn })
      : loadChart(memoryFiles(request.chart.files), { warn });
  const { setFiles = {} } = request;
  const { values } = assembleValues({
    ...request.values,
    readFile(path) {
      const text = setFiles[path];
      if (text === undefined) throw new Error(`open ${path}: no such file or directory`);
      return text;
    },
  });
  const { recorder, recorded } = recordingRecorder(request.recorded ?? {});
  const rendered = renderChart({
    chart,
    values,
    release: request.release,
    recorder,
    warn,
    ...(request.cluster ? { cluster: request.cluster } : {}),
    ...(request.skipSchemaValidation ? { skipSchemaValidation: true } : {}),
  });
  const { manifests, hooks, crds, notes, reads } = rendered;
  return { manifests, hooks, crds, notes, reads, warnings, recorded: recorded() };
}

function answer(): WorkerAnswer {
  try {
    return { result: render(workerData as WorkerRequest) };
  } catch (error) {
    return { diagnosis: diagnosisOf(error) };
  }
}

parentPort?.postMessage(answer());

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type ClusterConfig, loadKubeconfig } from '@tiphys/kubernetes';
import type { UpOptions } from './up-options.ts';

const kubeconfigUnreadable = defineDiagnosis('KubeconfigUnreadable', 'The kubeconfig that was named cannot be read');

/** The connection that `--kubeconfig` and `--context` name. */
export function userCluster(options: UpOptions, workdir: string): ClusterConfig {
  const file = resolve(workdir, options.kubeconfig ?? '');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw failure(
      kubeconfigUnreadable,
      {
        message: `Cannot read the kubeconfig: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
        place: { file },
        remedies: ['Give --kubeconfig the path of an existing file'],
      },
      { cause: error },
    );
  }
  return loadKubeconfig(text, {
    file,
    baseDir: dirname(file),
    ...(options.context ? { context: options.context } : {}),
  });
}

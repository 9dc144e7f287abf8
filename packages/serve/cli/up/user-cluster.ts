import { dirname, resolve } from 'node:path';
import { type ClusterConfig, loadKubeconfig } from '@tiphys/kubernetes';
import { readKubeconfigFile } from '../terminal/kubeconfig-file.ts';
import type { UpOptions } from './up-options.ts';

/** The connection that `--kubeconfig` and `--context` name. */
export function userCluster(options: Pick<UpOptions, 'kubeconfig' | 'context'>, workdir: string): ClusterConfig {
  const file = resolve(workdir, options.kubeconfig ?? '');
  return loadKubeconfig(readKubeconfigFile(file), {
    file,
    baseDir: dirname(file),
    ...(options.context ? { context: options.context } : {}),
  });
}

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { readSessions, sessionFile } from './session-file.ts';

const kubeconfigUnreadable = defineDiagnosis('KubeconfigUnreadable', 'The kubeconfig that was named cannot be read');

/**
 * The kubeconfig of a command that names none: that of KUBECONFIG, else ~/.kube/config, as kubectl's; where there is neither, that of
 * the sandbox of the server that is used.
 */
export function usualKubeconfig(env: NodeJS.ProcessEnv): string {
  if (env.KUBECONFIG) return env.KUBECONFIG;
  const own = join(env.HOME ?? homedir(), '.kube', 'config');
  if (existsSync(own)) return own;
  const { current, kubeconfigs = {} } = readSessions(sessionFile(env));
  const sandbox = current !== undefined && Object.hasOwn(kubeconfigs, current) ? kubeconfigs[current] : undefined;
  return sandbox ?? own;
}

/** The text of a kubeconfig; throws a diagnosis that names the file, and what to do. */
export function readKubeconfigFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw failure(
      kubeconfigUnreadable,
      {
        message: `Cannot read the kubeconfig: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
        place: { file },
        remedies: [
          'Name an existing file by --kubeconfig or the variable KUBECONFIG; a server with a sandbox prints where its own is',
        ],
      },
      { cause: error },
    );
  }
}

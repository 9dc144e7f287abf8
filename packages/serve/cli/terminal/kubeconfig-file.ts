import { readFileSync } from 'node:fs';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const kubeconfigUnreadable = defineDiagnosis('KubeconfigUnreadable', 'The kubeconfig that was named cannot be read');

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

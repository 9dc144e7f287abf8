import type { Client } from '@tiphys/kubernetes';
import type { LintedFile } from '@tiphys/workflows';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';

const apiVersion = 'argoproj.io/v1alpha1';

interface Looked {
  readonly client: Client;
  readonly namespace: string;
  /** Fields that there are not are let pass with false. */
  readonly strict?: boolean;
  /** Workflows are to run now, with these arguments. */
  readonly submitted?: { readonly parameters: readonly string[]; readonly entrypoint?: string | undefined };
}

/** Says what is wrong with files, with file and line, and ends the command then. Templates of the cluster are known. */
export async function refuseMistakes(
  { output, signal }: Surroundings,
  files: readonly LintedFile[],
  { client, namespace, strict, submitted }: Looked,
): Promise<void> {
  const { lintFiles, referencedByFiles, toldProblem } = await import('@tiphys/workflows');
  const known = new Map<string, never[]>();
  for (const { name, isCluster } of referencedByFiles(files)) {
    const kind = isCluster ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate';
    const ref = { apiVersion, kind, name, ...(isCluster ? {} : { namespace }) };
    const found = (await client.find(ref, { signal })) as { spec?: { templates?: never[] } } | undefined;
    if (found) known.set(`${kind} ${name}`, found.spec?.templates ?? []);
  }
  const { problems } = lintFiles(files, { known, isLenient: strict === false, ...(submitted ? { submitted } : {}) });
  for (const problem of problems) output.error(toldProblem(problem));
  if (problems.length > 0) throw new Exit(1);
}

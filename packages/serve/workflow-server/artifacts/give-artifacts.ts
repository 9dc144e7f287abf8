import { invalidArgument } from '@tiphys/server';
import { artifactKeys, keyOf, templateArtifacts } from '@tiphys/workflows';
import type { FlowCall } from '../common/caller.ts';
import type { StoredWorkflow } from '../common/live-workflows.ts';
import type { ServerParts } from '../common/server-parts.ts';
import { readTemplate, repositoryOf } from './repository-of.ts';
import { checkUploadedKey } from './uploaded-key.ts';

/**
 * Puts uploads (`NAME=KEY`) into a workflow that is made from a template: artifacts of the template's arguments, each in its place with
 * the other key. Throws InvalidArgument for names that the template does not have and keys that are not of uploads into the namespace.
 */
export async function giveArtifacts(
  parts: ServerParts,
  call: FlowCall,
  { namespace, workflow, artifacts }: { namespace: string; workflow: StoredWorkflow; artifacts: readonly string[] },
): Promise<void> {
  const reference = workflow.spec?.workflowTemplateRef;
  if (!reference || artifacts.length === 0) return;
  const { name = '', clusterScope } = reference;
  const template = await readTemplate(call, { name, ...(clusterScope ? {} : { namespace }) }, parts);
  const { location } = await repositoryOf(call, { namespace, template }, parts);
  const given = withWords(() =>
    templateArtifacts(template.spec?.arguments?.artifacts ?? [], artifactKeys(artifacts), location),
  );
  for (const artifact of given) checkUploadedKey(namespace, keyOf(artifact) ?? '');
  const others = workflow.spec?.arguments?.artifacts ?? [];
  workflow.spec = { ...workflow.spec, arguments: { ...workflow.spec?.arguments, artifacts: [...others, ...given] } };
}

function withWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw invalidArgument((error as Error).message);
  }
}

import type { Artifact, TemplateCall } from '../model/types.ts';
import { OperationError } from '../operation/halt.ts';
import type { Operation } from '../operation/operation.ts';
import { substitute, substituteText } from '../text/substitute.ts';
import { whenHolds } from '../text/when.ts';
import { isLoop } from './loops.ts';
import type { Scope } from './scope.ts';

/** Names that other nodes must have given by now. */
const nodeWords = ['tasks', 'steps'];

/**
 * A step or task with what its predecessors gave put in, except in its hooks, which come later. Artifacts are found. Throws an
 * error if something is missing.
 */
export function resolveReferences<T extends TemplateCall>(op: Operation, call: T, scope: Scope): T {
  op.volumes = substitute(op.volumes, scope.texts());
  const { hooks, ...rest } = call;
  const texts = scope.texts(op.globals);
  if (rest.when) {
    const when = substituteText(rest.when, texts, nodeWords);
    if (!proceeds(when, isLoop(call))) return { ...call, when };
  }
  const filled = substitute({ ...rest, arguments: scope.withoutAbsent(rest.arguments) }, texts, nodeWords);
  const artifacts = filled.arguments?.artifacts?.flatMap((artifact) => resolveArtifact(artifact, scope));
  if (artifacts && filled.arguments) filled.arguments = { ...filled.arguments, artifacts };
  return { ...filled, ...(hooks ? { hooks } : {}) } as unknown as T;
}

/** False if a `when` says no; one that still names the item of its loop is decided for each item. */
function proceeds(when: string, isLooped: boolean): boolean {
  try {
    return whenHolds(when);
  } catch (error) {
    if (isLooped) return true;
    throw error;
  }
}

function resolveArtifact(artifact: Artifact, scope: Scope): Artifact[] {
  if (!artifact.from && !artifact.fromExpression) return [artifact];
  try {
    return [{ ...scope.artifact(artifact), name: artifact.name }];
  } catch (error) {
    if (artifact.optional) return [];
    throw new OperationError(`unable to resolve references: ${(error as Error).message}`);
  }
}

export { resolveArtifact };

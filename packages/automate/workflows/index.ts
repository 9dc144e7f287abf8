export { type Packing, packNodes, unpackNodes } from './controller/persistence/nodes-codec.ts';
export { deletePropagationOf, packingOf } from './controller/settings/environment.ts';
export { readMetricsSettings } from './controller/settings/metrics-settings.ts';
export { startWorkflowsFamily, type WorkflowsFamilyOptions } from './family.ts';
export { type LintedFile, lintFiles, referencedByFiles, toldProblem } from './lint/lint-files.ts';
export { lintSpec, referencesOf } from './lint/lint-spec.ts';
export { workflowChecks } from './lint/object-checks.ts';
export {
  driverOf,
  hasLocation,
  hasLocationOrKey,
  keyOf,
  locationIn,
  pluginOf,
  repositoryLocation,
  withKey,
} from './model/artifacts.ts';
export { goJson } from './model/go-text.ts';
export { podNameOf } from './model/node-names.ts';
export { findRepository, repositoriesMap } from './operation/repository.ts';
export { simulateFile } from './simulate/simulate-file.ts';
export { expressionHolds } from './text/expression.ts';
export { transformedJson } from './text/transformation.ts';
export { backfilled, timeAs } from './verbs/backfill.ts';
export { converted } from './verbs/convert.ts';
export { cronProblems } from './verbs/cron-problems.ts';
export { type DescribeOptions, describeWorkflow, workflowsIn } from './verbs/describe.ts';
export { type EventBinding, eventWorkflow } from './verbs/event-binding.ts';
export { explainWorkflow } from './verbs/explain.ts';
export { builtPlugin, isGenerated } from './verbs/plugin-configmap.ts';
export { resubmitted } from './verbs/resubmit.ts';
export { retried } from './verbs/retry.ts';
export { resumed, waits, withNodesSet } from './verbs/set-nodes.ts';
export { artifactKeys, submitted, templateArtifacts, VerbError } from './verbs/submit.ts';
export { toldWorkflow } from './verbs/told-workflow.ts';
export { workflowFrom } from './verbs/workflow-from.ts';
export { WorkflowVerbs, type WorkflowVerbsOptions } from './verbs/workflow-verbs.ts';

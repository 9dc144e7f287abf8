export * from './kinds.ts';
export * from './messages.ts';
export * from './rollouts/index.ts';
export type * as flow from './workflows/index.ts';
export { workflowNames } from './workflows/workflow-names.ts';

/** The services of Argo Workflows' API, which are loaded only where they are served. */
export const loadWorkflowServices = async () => (await import('./workflows/workflow-services.ts')).workflowServices;
/** What is spoken with artifact plugins. */
export const loadArtifactServices = async () => (await import('./workflows/workflow-services.ts')).artifactServices;
/** What is spoken with collectors of OpenTelemetry. */
export const loadMetricsService = async () => (await import('./workflows/metrics-service.ts')).metricsService;
export type { ArtifactServices, WorkflowServices } from './workflows/workflow-services.ts';

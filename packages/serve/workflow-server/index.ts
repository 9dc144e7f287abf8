export { workflowLogs } from './logs/workflow-logs.ts';
export { openPageAccess } from './page-access.ts';
export { startWorkflowServer, type WorkflowServer, type WorkflowServerOptions } from './start-workflow-server.ts';

export { workflowLogs } from './logs/workflow-logs.ts';
export { startWorkflowServer, type WorkflowServer, type WorkflowServerOptions } from './start-workflow-server.ts';

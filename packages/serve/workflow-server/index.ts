export { startWorkflowServer, type WorkflowServer, type WorkflowServerOptions } from './start-workflow-server.ts';

export { startWorkflowsFamily, type WorkflowsFamilyOptions } from './family.ts';

/** What API and delivery of Applications are made of: a process that runs a family alone never loads it, which is most of its memory. */

export { startApplications } from '@tiphys/applications';
export { startApplicationSets } from '@tiphys/applicationsets';
export { defaultSocketFolder } from '@tiphys/plugin';
export { environmentOptions, startRepositoryChecks, startServer } from '@tiphys/server';
export { openWorkflowPages } from './families/workflow-server-family.ts';
export { objectChecks } from './object-checks.ts';
export { openUpHistory } from './open-up-history.ts';
export { isSilent, openSelfManagement, runAsCandidate, runSelfManagement } from './self-management.ts';

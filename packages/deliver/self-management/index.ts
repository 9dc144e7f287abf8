export { takenDiagnosis, words } from './guard/operation-guard.ts';
export { asBefore } from './guard/record.ts';
export { restoreObjects } from './guard/restore.ts';
export { shownDecisions } from './manager/observe.ts';
export { SelfManagement, type SelfManagementOptions, type SelfManagementWorld } from './manager/self-management.ts';
export { type CandidateOptions, judgeApplications, runCandidate } from './prove/candidate.ts';
export { type Decision, differencesOf } from './prove/decisions.ts';
export type { Need } from './prove/rights.ts';
export { answerDelivery } from './state/answer.ts';
export { kinds as selfManagementKinds } from './state/diagnoses.ts';
export {
  annotations as selfManagementAnnotations,
  own as selfManagementNames,
  roleVariable,
  silentCandidate,
} from './state/names.ts';
export { type DecisionDifference, isEnd, type Phase, type SelfUpdate } from './state/state.ts';
export { StateStore } from './state/state-store.ts';

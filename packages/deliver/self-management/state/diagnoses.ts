import { defineDiagnosis } from '@tiphys/diagnosis';

/** What can be wrong with a version of Tiphys that Tiphys is to deliver. */
export const kinds = {
  definitionDropsFields: defineDiagnosis(
    'SelfDefinitionDropsFields',
    'A new version of Tiphys has definitions that would drop what stored objects hold',
  ),
  settingsDropped: defineDiagnosis(
    'SelfSettingsDropped',
    'A new version of Tiphys would empty credentials or settings that are in use',
  ),
  rightsLacking: defineDiagnosis(
    'SelfRightsLacking',
    'The manifests of a new version of Tiphys do not give its processes the rights that they need',
  ),
  candidateImage: defineDiagnosis('SelfImageMissing', 'The image of a new version of Tiphys cannot be pulled'),
  candidateCrashed: defineDiagnosis('SelfCandidateCrashed', 'A new version of Tiphys ended while it was proved'),
  candidateSilent: defineDiagnosis('SelfCandidateSilent', 'A new version of Tiphys did not report while it was proved'),
  candidateHangs: defineDiagnosis('SelfCandidateHangs', 'A new version of Tiphys ceased to report while it was proved'),
  candidateMemory: defineDiagnosis('SelfMemoryGrows', 'A new version of Tiphys takes more memory than it may'),
  candidateApi: defineDiagnosis('SelfApiFails', 'The API of a new version of Tiphys does not answer'),
  decisionsDiffer: defineDiagnosis(
    'SelfDecisionsDiffer',
    'A new version of Tiphys judges applications in another way than the running one',
  ),
  guardianMissing: defineDiagnosis(
    'SelfGuardMissing',
    'The guard that takes a new version of Tiphys back if need be could not be started',
  ),
  syncFailed: defineDiagnosis('SelfSyncFailed', 'The sync that delivers a new version of Tiphys failed'),
  processUnhealthy: defineDiagnosis(
    'SelfProcessUnhealthy',
    'A process of a new version of Tiphys crashed, or did not become ready',
  ),
  leaseAbandoned: defineDiagnosis('SelfLeaseAbandoned', 'Nobody of the new version of Tiphys delivers'),
  reconcileLag: defineDiagnosis('SelfReconcileLag', 'A new version of Tiphys does not reconcile in time'),
  writesRefused: defineDiagnosis(
    'SelfWritesRefused',
    'Since a new version of Tiphys was delivered the API server refuses writes',
  ),
  operationEnded: defineDiagnosis('SelfSyncEnded', 'The sync that a new version of Tiphys was proved for has ended'),
  taken: defineDiagnosis(
    'SelfVersionTakenBack',
    'A new version of Tiphys was not delivered, or was taken back, and the one before goes on',
  ),
  awaits: defineDiagnosis('SelfVersionProved', 'A sync of Tiphys itself waits until the new version is proved'),
  reportTooLarge: defineDiagnosis(
    'SelfReportTooLarge',
    'There are more applications than the report of a candidate can hold',
  ),
} as const;

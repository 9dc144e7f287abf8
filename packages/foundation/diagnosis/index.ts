export { type DeliveryNotes, deliveryNotices } from './delivery-notices.ts';
export {
  type Diagnosis,
  type DiagnosisKind,
  defineDiagnosis,
  diagnose,
  diagnosisKinds,
  type Evidence,
  type Finding,
  type Place,
  type Remedy,
  redact,
  shownLines,
} from './diagnosis.ts';
export {
  DiagnosisError,
  diagnosisOf,
  type FailureOptions,
  failure,
  type Handling,
  handlingOf,
  restated,
  within,
} from './diagnosis-error.ts';
export { explainDiagnosis, formatDiagnosis, formatPlace, type ToldDiagnosis } from './format.ts';
export { misspeltKey, nearestName } from './nearest-name.ts';

import { accessCases } from './access-cases.ts';
import { admissionCases } from './admission-cases.ts';
import { aggregationCases } from './aggregation-cases.ts';
import { bodyCases } from './body-cases.ts';
import { cases } from './cases.ts';
import { celCases } from './cel-cases.ts';
import { certificateCases } from './certificate-cases.ts';
import { conversionCases } from './conversion-cases.ts';
import { definitionCases } from './definition-cases.ts';
import { foundCases } from './found-cases.ts';
import { fuzzedCases } from './fuzzed-cases.ts';
import { httpCases } from './http-cases.ts';
import { listCases } from './list-cases.ts';
import { moreCases } from './more-cases.ts';
import { negotiationCases } from './negotiation-cases.ts';
import { podCases } from './pod-cases.ts';
import { proxyCases } from './proxy-cases.ts';
import { ruleCases } from './rule-cases.ts';
import type { Case } from './run-case.ts';
import { selectorCases } from './selector-cases.ts';
import { statusCases } from './status-cases.ts';
import { tableClusterCases } from './table-cluster-cases.ts';
import { tableNetworkCases } from './table-network-cases.ts';
import { tablePodCases } from './table-pod-cases.ts';
import { tableStorageCases } from './table-storage-cases.ts';
import { tableWorkloadCases } from './table-workload-cases.ts';
import { validationCases } from './validation-cases.ts';
import { watchCases } from './watch-cases.ts';

/** The whole suite. */
export const allCases: readonly Case[] = [
  ...cases,
  ...moreCases,
  ...celCases,
  ...definitionCases,
  ...conversionCases,
  ...aggregationCases,
  ...certificateCases,
  ...admissionCases,
  ...podCases,
  ...validationCases,
  ...fuzzedCases,
  ...foundCases,
  ...statusCases,
  ...ruleCases,
  ...listCases,
  ...watchCases,
  ...selectorCases,
  ...accessCases,
  ...negotiationCases,
  ...httpCases,
  ...bodyCases,
  ...proxyCases,
  ...tablePodCases,
  ...tableWorkloadCases,
  ...tableNetworkCases,
  ...tableStorageCases,
  ...tableClusterCases,
];

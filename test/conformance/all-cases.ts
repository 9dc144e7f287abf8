import { accessCases } from './access-cases.ts';
import { aggregationCases } from './aggregation-cases.ts';
import { bindingCases } from './binding-cases.ts';
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
import { nodeCases } from './node-cases.ts';
import { optionCases } from './option-cases.ts';
import { podCases } from './pod-cases.ts';
import { podSecurityCases } from './pod-security-cases.ts';
import { policyCases } from './policy-cases.ts';
import { policyMatchCases } from './policy-match-cases.ts';
import { proxyCases } from './proxy-cases.ts';
import { publishedCases } from './published-cases.ts';
import { limitCases, quotaCases } from './quota-cases.ts';
import { rareFieldCases } from './rare-field-cases.ts';
import { ruleCases } from './rule-cases.ts';
import type { Case } from './run-case.ts';
import { schemaValueCases } from './schema-value-cases.ts';
import { selectorCases } from './selector-cases.ts';
import { serverCases } from './server-cases.ts';
import { statusCases } from './status-cases.ts';
import { tableClusterCases } from './table-cluster-cases.ts';
import { tableNetworkCases } from './table-network-cases.ts';
import { tablePodCases } from './table-pod-cases.ts';
import { tableStorageCases } from './table-storage-cases.ts';
import { tableWorkloadCases } from './table-workload-cases.ts';
import { validationCases } from './validation-cases.ts';
import { watchCases } from './watch-cases.ts';
import { webhookCases } from './webhook-cases.ts';
import { webhookMatchCases } from './webhook-match-cases.ts';

/** The whole suite. */
export const allCases: readonly Case[] = [
  ...cases,
  ...moreCases,
  ...celCases,
  ...definitionCases,
  ...schemaValueCases,
  ...conversionCases,
  ...aggregationCases,
  ...certificateCases,
  ...policyCases,
  ...policyMatchCases,
  ...publishedCases,
  ...quotaCases,
  ...limitCases,
  ...podSecurityCases,
  ...webhookCases,
  ...webhookMatchCases,
  ...optionCases,
  ...podCases,
  ...validationCases,
  ...fuzzedCases,
  ...rareFieldCases,
  ...foundCases,
  ...statusCases,
  ...ruleCases,
  ...listCases,
  ...watchCases,
  ...selectorCases,
  ...accessCases,
  ...nodeCases,
  ...bindingCases,
  ...serverCases,
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

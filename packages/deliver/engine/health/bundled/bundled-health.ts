import { compileGlob } from '@tiphys/glob';
import { objectsAt, textAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import { argoKinds } from './argo-kinds.ts';
import type { Check, Checks } from './check.ts';
import { clusterKinds } from './cluster-kinds.ts';
import { crossplaneKinds, managedResource } from './crossplane-kinds.ts';
import { databaseKinds } from './database-kinds.ts';
import { fluxKinds } from './flux-kinds.ts';
import { gatewayKinds } from './gateway-kinds.ts';
import { kruiseKinds } from './kruise-kinds.ts';
import { kubernetesKinds } from './kubernetes-kinds.ts';
import { messagingKinds } from './messaging-kinds.ts';
import { numaprojKinds } from './numaproj-kinds.ts';
import { observabilityKinds } from './observability-kinds.ts';
import { configConnector, otherKinds, victoriaMetrics } from './other-kinds.ts';
import { platformKinds } from './platform-kinds.ts';
import { promoterKinds } from './promoter-kinds.ts';
import { securityKinds } from './security-kinds.ts';
import { storageKinds } from './storage-kinds.ts';
import { threeScaleKinds } from './three-scale-kinds.ts';

const byKind: ReadonlyMap<string, Check> = new Map(
  [
    argoKinds,
    clusterKinds,
    crossplaneKinds,
    databaseKinds,
    fluxKinds,
    gatewayKinds,
    kruiseKinds,
    kubernetesKinds,
    messagingKinds,
    numaprojKinds,
    observabilityKinds,
    otherKinds,
    platformKinds,
    promoterKinds,
    securityKinds,
    storageKinds,
    threeScaleKinds,
  ].flatMap((checks: Checks) => Object.entries(checks)),
);

const grafanaOrganization: Check = (object) => {
  const state = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Ready');
  if (!state) return health('Progressing', 'Waiting ...');
  const code = state.status === 'True' ? 'Healthy' : state.status === 'False' ? 'Degraded' : 'Progressing';
  return health(code, textAt(state, 'message'));
};

/** All kinds of a group, where the kind itself has no rule. A star stands for one part of the name before the dot, or several. */
const byPattern: readonly (readonly [pattern: string, check: Check])[] = [
  ['*.cnrm.cloud.google.com/*', configConnector],
  [
    '*.crossplane.io/*',
    managedResource(
      [
        'ClusterProviderConfig',
        'Composition',
        'CompositionRevision',
        'ControllerConfig',
        'DeploymentRuntimeConfig',
        'ProviderConfig',
        'ProviderConfigUsage',
      ],
      ['Ready', 'Healthy', 'Offered', 'Established', 'ValidPipeline', 'RevisionHealthy'],
    ),
  ],
  ['*.upbound.io/*', managedResource(['ClusterProviderConfig', 'ProviderConfig', 'ProviderConfigUsage'], ['Ready'])],
  ['grafana-org-operator.kubitus-project.gitlab.io/*', grafanaOrganization],
  ['operator.victoriametrics.com/*', victoriaMetrics],
];

const found = new Map<string, Check | undefined>();

/** The check that comes with the product for a kind of a well-known project; undefined if there is none. */
export function bundledHealth(group: string, kind: string): Check | undefined {
  if (!group) return undefined;
  const name = `${group}/${kind}`;
  if (!found.has(name))
    found.set(name, byKind.get(name) ?? byPattern.find(([pattern]) => compileGlob(pattern, '/')(name))?.[1]);
  return found.get(name);
}

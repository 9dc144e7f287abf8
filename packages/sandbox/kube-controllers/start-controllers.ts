import { type Client, type Clock, systemClock } from '@tiphys/kubernetes';
import { startPolicyStatusController } from './admission-policy/policy-status-controller.ts';
import { startAutoscalerController } from './autoscaler/autoscaler-controller.ts';
import { type SigningAuthority, startCertificateSigners } from './certificates/certificate-signers.ts';
import { startCronJobController } from './cron-job/cron-job-controller.ts';
import { startDaemonSetController } from './daemon-set/daemon-set-controller.ts';
import { startDeploymentController } from './deployment/deployment-controller.ts';
import { startDisruptionController } from './disruption/disruption-controller.ts';
import { startEndpointMirrors } from './endpoints/endpoint-mirrors.ts';
import { startEndpointsController } from './endpoints/endpoints-controller.ts';
import { startGarbageCollector } from './garbage-collector/garbage-collector.ts';
import { MetadataWatches } from './garbage-collector/metadata-watches.ts';
import { startJobController } from './job/job-controller.ts';
import { startTtlAfterFinishedController } from './job/ttl-after-finished-controller.ts';
import type { ControllerContext } from './machinery/controller.ts';
import { ObjectStores } from './machinery/object-stores.ts';
import { startNamespaceController } from './namespace/namespace-controller.ts';
import { startNodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.ts';
import { startNodeTtlController } from './node-lifecycle/node-ttl-controller.ts';
import { startTaintEvictionController } from './node-lifecycle/taint-eviction-controller.ts';
import { startPodGcController } from './pod-gc/pod-gc-controller.ts';
import { startReplicaSetController } from './replica-set-controller.ts';
import { startResourceQuotaController } from './resource-quota/resource-quota-controller.ts';
import {
  type ServiceAccountTokens,
  startServiceAccountTokensController,
} from './service-account/service-account-tokens-controller.ts';
import { startStatefulSetController } from './stateful-set/stateful-set-controller.ts';
import { startClassProtection } from './volume/class-protection-controller.ts';
import { startEphemeralVolumeController } from './volume/ephemeral-volume-controller.ts';
import { startVolumeController } from './volume/volume-controller.ts';
import { startVolumeProtectionControllers } from './volume/volume-protection-controller.ts';

export interface ControllersOptions {
  /** The machine's clock if absent. */
  clock?: Clock;
  /** Ends all controllers. */
  signal: AbortSignal;
  /** Caches to share with `startNodes` in the same process; own ones if absent. */
  stores?: ObjectStores;
  /** Signs approved CertificateSigningRequests; they stay unsigned if absent. */
  authority?: SigningAuthority;
  /** Signs the tokens of Secrets for service accounts; they stay empty if absent. */
  tokens?: ServiceAccountTokens;
  /** Told about every reconcile that failed (it is tried again); ignored if absent, for the state tells it too. */
  onError?: (controller: string, key: string, error: unknown) => void;
}

/**
 * Starts what kube-controller-manager does for the kinds that the sandbox serves, as a client of the server: not to be
 * used where a kube-controller-manager runs. Resolves when the caches are filled; everything then follows watches.
 */
export async function startControllers(client: Client, options: ControllersOptions): Promise<void> {
  const { clock = systemClock, signal, onError = () => {} } = options;
  const stores = options.stores ?? new ObjectStores(client, { clock, signal });
  const context: ControllerContext = { client, clock, signal, stores, onError };
  startDeploymentController(context);
  startReplicaSetController(context);
  startJobController(context);
  startTtlAfterFinishedController(context);
  startStatefulSetController(context);
  startDaemonSetController(context);
  startCronJobController(context);
  startEndpointsController(context);
  startEndpointMirrors(context);
  startDisruptionController(context);
  startPodGcController(context);
  startNodeLifecycleController(context);
  startTaintEvictionController(context);
  startNodeTtlController(context);
  startAutoscalerController(context);
  startVolumeController(context);
  startEphemeralVolumeController(context);
  startVolumeProtectionControllers(context);
  startClassProtection(context);
  startPolicyStatusController(context);
  if (options.authority) startCertificateSigners(context, options.authority);
  if (options.tokens) startServiceAccountTokensController(context, options.tokens);
  const watches = new MetadataWatches(context);
  startNamespaceController(context, watches);
  startResourceQuotaController(context, watches);
  await stores.synced();
  await startGarbageCollector(context, watches);
}

import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Condition, KeySelector, SaslConfig, TlsConfig } from './common.ts';

export const defaultBusName = 'default';

/** The name of the bus that an EventSource or a Sensor is on. */
export function busNameOf(spec: { readonly eventBusName?: string } | undefined): string {
  return spec?.eventBusName || defaultBusName;
}

export interface EventBus extends KubeObject {
  readonly spec: EventBusSpec;
  status?: { conditions?: Condition[]; config?: BusConfig; diagnoses?: Diagnosis[] };
}

export interface EventBusSpec {
  /** A bus of this process; an extension of ours. */
  readonly embedded?: EmbeddedSpec;
  readonly nats?: { readonly native?: NativeNats; readonly exotic?: StanConfig };
  readonly jetstream?: JetStreamSpec;
  readonly jetstreamExotic?: JetStreamConfig;
  readonly kafka?: KafkaBusConfig;
}

export interface EmbeddedSpec {
  /** Go duration; 72h if absent. */
  readonly maxAge?: string;
  /** 1,000,000 if absent. */
  readonly maxMsgs?: number;
}

export interface PodSettings {
  readonly replicas?: number;
  readonly metadata?: { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };
  readonly persistence?: {
    readonly storageClassName?: string;
    readonly accessMode?: string;
    readonly volumeSize?: string;
  };
  readonly containerTemplate?: ContainerTemplate;
  readonly metricsContainerTemplate?: ContainerTemplate;
  readonly nodeSelector?: Record<string, string>;
  readonly tolerations?: readonly unknown[];
  readonly securityContext?: unknown;
  readonly imagePullSecrets?: readonly unknown[];
  readonly serviceAccountName?: string;
  readonly priorityClassName?: string;
  readonly priority?: number;
  readonly affinity?: unknown;
}

export interface ContainerTemplate {
  readonly resources?: unknown;
  readonly imagePullPolicy?: string;
  readonly securityContext?: unknown;
}

export interface NativeNats extends PodSettings {
  /** `none` or `token`. */
  readonly auth?: string;
  readonly antiAffinity?: boolean;
  readonly maxAge?: string;
  readonly maxMsgs?: number;
  readonly maxSubs?: number;
  readonly maxBytes?: string;
  readonly maxPayload?: string;
  readonly raftHeartbeatTimeout?: string;
  readonly raftElectionTimeout?: string;
  readonly raftLeaseTimeout?: string;
  readonly raftCommitTimeout?: string;
}

export interface JetStreamSpec extends PodSettings {
  readonly version?: string;
  readonly reloaderContainerTemplate?: ContainerTemplate;
  /** JSON of nats.conf's own keys. */
  readonly settings?: string;
  readonly startArgs?: readonly string[];
  /** YAML of the stream's configuration. */
  readonly streamConfig?: string;
  readonly maxPayload?: string;
}

export interface BusConfig {
  readonly embedded?: EmbeddedSpec;
  readonly nats?: StanConfig;
  readonly jetstream?: JetStreamConfig;
  readonly kafka?: KafkaBusConfig;
}

export interface StanConfig {
  readonly url?: string;
  readonly clusterID?: string;
  readonly auth?: string;
  readonly accessSecret?: KeySelector;
}

export interface JetStreamConfig {
  readonly url?: string;
  readonly accessSecret?: KeySelector;
  readonly streamConfig?: string;
  readonly tls?: TlsConfig;
}

export interface KafkaBusConfig {
  readonly url?: string;
  readonly topic?: string;
  readonly version?: string;
  readonly tls?: TlsConfig;
  readonly sasl?: SaslConfig;
  /** `hash`, which is what is done anyway. */
  readonly partitioner?: string;
  readonly consumerGroup?: {
    readonly groupName?: string;
    readonly rebalanceStrategy?: string;
    readonly oldest?: boolean;
  };
}

/** True if all conditions are, and there is one. */
export function isReady({ status }: { readonly status?: { readonly conditions?: readonly Condition[] } }): boolean {
  const conditions = status?.conditions ?? [];
  return conditions.length > 0 && conditions.every((condition) => condition.status === 'True');
}

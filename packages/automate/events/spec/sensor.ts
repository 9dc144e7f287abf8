import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type {
  Backoff,
  BasicAuth,
  Condition,
  KeySelector,
  NatsAuth,
  PodTemplate,
  S3Artifact,
  SaslConfig,
  SchemaRegistry,
  TlsConfig,
} from './common.ts';

export interface Sensor extends KubeObject {
  readonly spec: SensorSpec;
  status?: { conditions?: Condition[]; diagnoses?: Diagnosis[] };
}

export interface SensorSpec {
  readonly dependencies?: readonly Dependency[];
  readonly triggers?: readonly Trigger[];
  readonly template?: PodTemplate;
  readonly errorOnFailedRound?: boolean;
  readonly eventBusName?: string;
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly loggingFields?: Readonly<Record<string, string>>;
}

export type LogicalOperator = 'and' | 'or' | '';

export interface Dependency {
  readonly name: string;
  readonly eventSourceName: string;
  readonly eventName: string;
  readonly filters?: DependencyFilter;
  readonly transform?: { readonly jq?: string; readonly script?: string };
  readonly filtersLogicalOperator?: LogicalOperator;
}

export interface DependencyFilter {
  readonly time?: { readonly start: string; readonly stop: string; readonly timezone?: string };
  readonly context?: {
    readonly type?: string;
    readonly subject?: string;
    readonly source?: string;
    readonly datacontenttype?: string;
  };
  readonly data?: readonly DataFilter[];
  readonly exprs?: readonly ExprFilter[];
  readonly dataLogicalOperator?: LogicalOperator;
  readonly exprLogicalOperator?: LogicalOperator;
  readonly script?: string;
}

export interface ExprFilter {
  readonly expr: string;
  readonly fields: readonly { readonly path: string; readonly name: string }[];
}

export interface DataFilter {
  readonly path: string;
  readonly type: string;
  readonly value: readonly string[];
  readonly comparator?: string;
  readonly template?: string;
}

export interface Trigger {
  readonly template?: TriggerTemplate;
  readonly parameters?: readonly TriggerParameter[];
  readonly policy?: TriggerPolicy;
  readonly retryStrategy?: Backoff;
  readonly rateLimit?: { readonly unit?: string; readonly requestsPerUnit?: number };
  readonly atLeastOnce?: boolean;
  readonly dlqTrigger?: Trigger;
}

export interface TriggerParameter {
  readonly src?: ParameterSource;
  readonly dest?: string;
  readonly operation?: string;
}

export interface ParameterSource {
  readonly dependencyName: string;
  readonly contextKey?: string;
  readonly contextTemplate?: string;
  readonly dataKey?: string;
  readonly dataTemplate?: string;
  readonly value?: string;
  readonly useRawData?: boolean;
}

export interface TriggerPolicy {
  readonly k8s?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly backoff?: Backoff;
    readonly errorOnBackoffTimeout?: boolean;
  };
  readonly status?: { readonly allow?: readonly number[] };
}

/** The types of triggers, in the order in which upstream looks for them: the first that a template has counts. */
export const triggerKinds = [
  'k8s',
  'argoWorkflow',
  'http',
  'awsLambda',
  'azureEventHubs',
  'azureServiceBus',
  'kafka',
  'pulsar',
  'nats',
  'slack',
  'openWhisk',
  'custom',
  'log',
  'email',
] as const satisfies readonly Exclude<keyof TriggerTemplate, 'name' | 'conditions' | 'conditionsReset'>[];

export type TriggerKind = (typeof triggerKinds)[number];

export interface TriggerTemplate {
  readonly name: string;
  readonly conditions?: string;
  readonly conditionsReset?: readonly { readonly byTime?: { readonly cron?: string; readonly timezone?: string } }[];
  readonly k8s?: KubernetesTrigger;
  readonly argoWorkflow?: WorkflowTrigger;
  readonly http?: HttpTrigger;
  readonly awsLambda?: LambdaTrigger;
  readonly custom?: CustomTrigger;
  readonly kafka?: KafkaTrigger;
  readonly nats?: NatsTrigger;
  readonly slack?: SlackTrigger;
  readonly openWhisk?: OpenWhiskTrigger;
  readonly log?: { readonly intervalSeconds?: number };
  readonly azureEventHubs?: EventHubsTrigger;
  readonly azureServiceBus?: ServiceBusTrigger;
  readonly pulsar?: PulsarTrigger;
  readonly email?: EmailTrigger;
}

/** What triggers with a payload have in common. */
export interface WithPayload {
  readonly payload?: readonly TriggerParameter[];
  readonly parameters?: readonly TriggerParameter[];
}

export interface KubernetesTrigger {
  readonly source?: ArtifactLocation;
  readonly operation?: string;
  readonly parameters?: readonly TriggerParameter[];
  readonly patchStrategy?: string;
  readonly liveObject?: boolean;
}

export interface WorkflowTrigger {
  readonly source?: ArtifactLocation;
  readonly operation?: string;
  readonly parameters?: readonly TriggerParameter[];
  readonly args?: readonly string[];
}

export interface SecureHeader {
  readonly name: string;
  readonly valueFrom?: { readonly secretKeyRef?: KeySelector; readonly configMapKeyRef?: KeySelector };
}

export interface HttpTrigger extends WithPayload {
  readonly url: string;
  readonly method?: string;
  readonly tls?: TlsConfig;
  readonly timeout?: number;
  readonly basicAuth?: BasicAuth;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secureHeaders?: readonly SecureHeader[];
  readonly dynamicHeaders?: readonly TriggerParameter[];
  readonly host?: string;
}

export interface LambdaTrigger extends WithPayload {
  readonly functionName: string;
  readonly region: string;
  readonly accessKey?: KeySelector;
  readonly secretKey?: KeySelector;
  readonly invocationType?: string;
  readonly roleARN?: string;
}

export interface CustomTrigger extends WithPayload {
  readonly serverURL: string;
  readonly secure?: boolean;
  readonly certSecret?: KeySelector;
  readonly serverNameOverride?: string;
  readonly spec?: Readonly<Record<string, string>>;
}

export interface KafkaTrigger extends WithPayload {
  readonly url: string;
  readonly topic: string;
  readonly partition?: number;
  readonly requiredAcks?: number;
  readonly compress?: boolean;
  /** The longest that a message may wait for others, in milliseconds. Each is sent at once. */
  readonly flushFrequency?: number;
  readonly tls?: TlsConfig;
  readonly partitioningKey?: string;
  readonly version?: string;
  readonly sasl?: SaslConfig;
  readonly schemaRegistry?: SchemaRegistry;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secureHeaders?: readonly SecureHeader[];
}

export interface NatsTrigger extends WithPayload {
  readonly url: string;
  readonly subject: string;
  readonly tls?: TlsConfig;
  readonly auth?: NatsAuth;
}

export interface PulsarTrigger extends WithPayload {
  readonly url: string;
  readonly topic: string;
  readonly tls?: TlsConfig;
  readonly tlsTrustCertsSecret?: KeySelector;
  readonly tlsAllowInsecureConnection?: boolean;
  readonly tlsValidateHostname?: boolean;
  readonly authTokenSecret?: KeySelector;
  readonly connectionBackoff?: Backoff;
  readonly authAthenzParams?: Readonly<Record<string, string>>;
  readonly authAthenzSecret?: KeySelector;
}

export interface EmailTrigger {
  readonly parameters?: readonly TriggerParameter[];
  readonly username?: string;
  readonly smtpPassword?: KeySelector;
  readonly host?: string;
  readonly port?: number;
  readonly to?: readonly string[];
  readonly from?: string;
  readonly subject?: string;
  readonly body?: string;
}

export interface SlackTrigger {
  readonly parameters?: readonly TriggerParameter[];
  readonly slackToken?: KeySelector;
  readonly channel?: string;
  readonly message?: string;
  readonly attachments?: string;
  readonly blocks?: string;
  readonly thread?: { readonly messageAggregationKey?: string; readonly broadcastMessageToChannel?: boolean };
  readonly sender?: { readonly username?: string; readonly icon?: string };
}

export interface OpenWhiskTrigger extends WithPayload {
  readonly host: string;
  readonly version?: string;
  readonly namespace?: string;
  readonly authToken?: KeySelector;
  readonly actionName: string;
}

export interface EventHubsTrigger extends WithPayload {
  readonly fqdn: string;
  readonly hubName: string;
  readonly sharedAccessKeyName?: KeySelector;
  readonly sharedAccessKey?: KeySelector;
}

export interface ServiceBusTrigger extends WithPayload {
  readonly connectionString?: KeySelector;
  readonly queueName?: string;
  readonly topicName?: string;
  readonly subscriptionName?: string;
  readonly tls?: TlsConfig;
}

export interface GitArtifact {
  readonly url: string;
  readonly cloneDirectory?: string;
  readonly creds?: BasicAuth;
  readonly sshKeySecret?: KeySelector;
  readonly filePath: string;
  readonly branch?: string;
  readonly tag?: string;
  readonly ref?: string;
  readonly remote?: { readonly name?: string; readonly urls?: readonly string[] };
  readonly insecureIgnoreHostKey?: boolean;
  readonly githubApp?: { readonly privateKey?: KeySelector; readonly appID?: number; readonly installationID?: number };
}

export interface ArtifactLocation {
  readonly s3?: S3Artifact;
  readonly inline?: string;
  readonly file?: { readonly path?: string };
  readonly url?: { readonly path: string; readonly verifyCert?: boolean };
  readonly configmap?: KeySelector;
  readonly git?: GitArtifact;
  readonly resource?: KubeObject;
}

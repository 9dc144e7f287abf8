/** How event sources and sensors run. */
export interface EventsSettings {
  /** `shared`: in this process; `dedicated`: a Deployment each, as upstream. */
  readonly deployment: 'shared' | 'dedicated';
  /**
   * Whether event sources and sensors that run in this process reach the cluster as the service account that their `template` names, else
   * as the namespace's `default`: anyone who may write a Sensor must not get this process's rights by it.
   */
  readonly impersonates: boolean;
  /** What a native NATS bus is: pods of this cluster, or, where no pods run (sandbox), the embedded log in its place. */
  readonly nativeBus: 'pods' | 'embedded';
  /** Whether a namespace without an EventBus `default` has an embedded one. */
  readonly implicitBus: boolean;
  /** Image of dedicated pods. */
  readonly image: string;
  readonly imagePullPolicy: string;
  /** Text of upstream's `controller-config.yaml`, with the versions of NATS. */
  readonly controllerConfig: string;
}

/** The settings of an environment: of the sandbox, or of a cluster. */
export function settingsOf(
  env: NodeJS.ProcessEnv,
  sandbox: boolean,
  config: ReadonlyMap<string, string>,
): EventsSettings {
  const pick = <T extends string>(name: string, allowed: readonly T[], absent: T): T => {
    const value = env[name] as T | undefined;
    return value && allowed.includes(value) ? value : absent;
  };
  return {
    deployment: sandbox ? 'shared' : pick('TIPHYS_EVENTS_DEPLOYMENT', ['shared', 'dedicated'], 'shared'),
    impersonates: pick('TIPHYS_EVENTS_IMPERSONATE', ['true', 'false'], sandbox ? 'false' : 'true') === 'true',
    nativeBus: sandbox ? 'embedded' : 'pods',
    implicitBus: pick('TIPHYS_EVENTS_IMPLICIT_BUS', ['true', 'false'], sandbox ? 'true' : 'false') === 'true',
    image: env.ARGO_EVENTS_IMAGE || 'tiphys:latest',
    imagePullPolicy: env.IMAGE_PULL_POLICY || '',
    controllerConfig: config.get('controller-config.yaml') ?? '',
  };
}

import { defaultTrafficSettings, type TrafficSettings } from '@tiphys/traffic';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are upstream's flags, by the settings that they change. */
const variables = {
  istioApiVersion: 'ARGO_ROLLOUTS_ISTIO_API_VERSION',
  ambassadorApiVersion: 'ARGO_ROLLOUTS_AMBASSADOR_API_VERSION',
  smiApiVersion: 'ARGO_ROLLOUTS_TRAFFIC_SPLIT_API_VERSION',
  appMeshApiVersion: 'ARGO_ROLLOUTS_APPMESH_CRD_VERSION',
  traefikApiVersion: 'ARGO_ROLLOUTS_TRAEFIK_API_VERSION',
  apisixApiVersion: 'ARGO_ROLLOUTS_APISIX_API_VERSION',
  albTagKeyResourceId: 'ARGO_ROLLOUTS_ALB_TAG_KEY_RESOURCE_ID',
  targetGroupBindingApiVersion: 'ARGO_ROLLOUTS_AWS_TARGET_GROUP_BINDING_API_VERSION',
} as const;

/** Versions of the routers' objects: upstream's defaults, changed by variables. */
export function trafficSettings(env: Environment): TrafficSettings {
  const texts = Object.entries(variables).flatMap(([field, name]) => (env[name] ? [[field, env[name]]] : []));
  return { ...defaultTrafficSettings, ...Object.fromEntries(texts) };
}

/** Whether AWS is asked what its load balancers serve and what they have registered. */
export function verifiesTargets(env: Environment): boolean {
  return env.ARGO_ROLLOUTS_AWS_VERIFY_TARGET_GROUP === 'true';
}

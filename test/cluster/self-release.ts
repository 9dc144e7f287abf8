import type { KubeObject } from '@tiphys/kubernetes';

interface Container {
  image: string;
  command?: string[];
  env?: { name: string; value?: string }[];
  resources?: { limits?: Record<string, string> };
}

interface Workload extends KubeObject {
  spec: { template: { metadata: { annotations?: Record<string, string> }; spec: { containers: Container[] } } };
}

/** Changes the manifests of a version before they are committed. */
export type Change = (objects: KubeObject[]) => void;

const controllerName = 'argocd-application-controller';

function named<T extends KubeObject>(objects: readonly KubeObject[], kind: string, name: string): T {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`The manifests have no ${kind} ${name}`);
  return found as T;
}

const containerOf = (objects: readonly KubeObject[], kind = 'StatefulSet', name = controllerName): Container => {
  const [container] = named<Workload>(objects, kind, name).spec.template.spec.containers;
  if (!container) throw new Error(`${kind} ${name} has no container`);
  return container;
};

/** A version that differs by its name alone. */
export function release(name: string): Change {
  return (objects) => {
    const { metadata } = named<Workload>(objects, 'StatefulSet', controllerName).spec.template;
    metadata.annotations = { ...metadata.annotations, 'example.com/release': name };
  };
}

/** An image that no node has and no registry serves. */
export const imageMissing: Change = (objects) => {
  containerOf(objects).image = 'docker.io/tiphys/tiphys:no-such-version';
};

/** A controller that ends as it begins. */
export const crashAtStart: Change = (objects) => {
  containerOf(objects).command = ['/usr/local/bin/node', '-e', 'process.exit(3)'];
};

/**
 * JavaScript that runs in the controller beside its own: once it is delivered, or also while it is proved.
 * It sees what `fault` is told in seconds since the start.
 */
export function inController(fault: string, { proved }: { readonly proved: boolean }): Change {
  const when = proved ? "process.env.TIPHYS_SELF_MANAGEMENT === 'candidate'" : '!process.env.TIPHYS_SELF_MANAGEMENT';
  const text = `import { isMainThread } from 'node:worker_threads'; if (isMainThread && ${when}) { ${fault} }`;
  const url = `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
  return (objects) => {
    const container = containerOf(objects);
    const others = (container.env ?? []).filter(({ name }) => name !== 'NODE_OPTIONS');
    container.env = [...others, { name: 'NODE_OPTIONS', value: `--import=${url}` }];
  };
}

export const crashAfter = (seconds: number) => `setTimeout(() => process.exit(7), ${seconds * 1000}).unref();`;
export const hangAfter = (seconds: number) => `setTimeout(() => { for (;;); }, ${seconds * 1000}).unref();`;
export const leak = 'const held = []; setInterval(() => held.push(Buffer.alloc(8 << 20, 1)), 100).unref();';

/** Bounds the controller, so that a leak shows soon. */
export const littleMemory: Change = (objects) => {
  containerOf(objects).resources = { limits: { memory: '700Mi' } };
};

/** A server that is alive and answers every question with 500. */
export const failingServer: Change = (objects) => {
  const answer = "(q, s) => { s.statusCode = q.url.startsWith('/healthz') ? 200 : 500; s.end(); }";
  const text = `const { createServer } = require('http'); for (const port of [8080, 8083]) createServer(${answer}).listen(port)`;
  containerOf(objects, 'Deployment', 'argocd-server').command = ['/usr/local/bin/node', '-e', text];
};

/** The controller may read and write nothing but ConfigMaps. */
export const wrongRights: Change = (objects) => {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  Object.assign(named(objects, 'ClusterRole', controllerName), { rules });
};

/** The definition of Applications without the field that says how they are synced. */
export const droppedField: Change = (objects) => {
  const { spec } = named(objects, 'CustomResourceDefinition', 'applications.argoproj.io') as unknown as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } }[] };
  };
  for (const { schema } of spec.versions)
    Reflect.deleteProperty(schema.openAPIV3Schema.properties.spec.properties, 'syncPolicy');
};

/** A webhook that must answer for every write, and is not there. */
export const refusingWebhook: Change = (objects) => {
  objects.push({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'self-management-refuses' },
    webhooks: [
      {
        name: 'refuses.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 1,
        clientConfig: { service: { namespace: 'argocd', name: 'no-such-service', path: '/' } },
        rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
      },
    ],
  } as KubeObject);
};

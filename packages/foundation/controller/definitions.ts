import { createHash } from 'node:crypto';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, type Clock, isForbidden, isServerTimeout, type KubeObject } from '@tiphys/kubernetes';
import { parseYaml } from '@tiphys/yaml';

const crdNotEstablished = defineDiagnosis(
  'CrdNotEstablished',
  'A custom resource definition of Tiphys was not taken up by the API server',
  'M11',
);

/** A CustomResourceDefinition as YAML, and the name of its file for messages. */
export interface DefinitionText {
  readonly file: string;
  readonly text: string;
}

const fieldManager = 'tiphys';
/** Tells which text of a definition was applied. */
const digestAnnotation = 'tiphys.dev/definition-digest';

/** The name in a definition's metadata, which are written as a block or on one line. */
const nameLine = /^metadata:(?: \{|\n(?: .*\n)*? {2})name: ([a-z.]+)\}?$/m;

/** A definition that was looked after: `visible` unless the identity may not read definitions. */
interface Applied {
  readonly name: string;
  readonly visible: boolean;
  readonly text: DefinitionText;
}

/**
 * Applies definitions server-side (they are too big for client-side apply) where the cluster has not these very texts yet, and
 * resolves when the API server serves them. An identity that may not change definitions takes those that somebody else installed.
 * With `keepsOthers`, those that somebody else installed stay as they are in any case. Throws a diagnosis with the conditions that
 * the server shows if one is not served within two minutes. What a loaded server has no time for is asked again as long.
 */
export async function ensureDefinitions(
  client: Client,
  definitions: readonly DefinitionText[],
  clock: Clock,
  { keepsOthers = false }: { readonly keepsOthers?: boolean } = {},
): Promise<void> {
  const applied = await Promise.all(
    definitions.map((definition) => inTime(() => applyDefinition(client, definition, keepsOthers), clock)),
  );
  const kinds = await Promise.all(
    applied.map(async (each) => (each.visible ? await established(client, each.name, clock) : [])),
  );
  await announced(client, kinds.flat(), clock);
  await Promise.all(applied.map(async (each) => each.visible || (await served(client, each, clock))));
}

/** Does it again while the server has no time for it. Applying twice is applying once. */
async function inTime<T>(work: () => Promise<T>, clock: Clock): Promise<T> {
  const deadline = clock.now() + establishTimeout;
  for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
    try {
      return await work();
    } catch (error) {
      if (!isServerTimeout(error) || clock.now() >= deadline) throw error;
    }
    await clock.sleep(wait);
  }
}

/**
 * Applies a definition unless the cluster has this very text already. It is large, and every start would pay for reading it: its name
 * is looked for in the text.
 */
async function applyDefinition(client: Client, text: DefinitionText, keepsOthers: boolean): Promise<Applied> {
  const digest = createHash('sha256').update(text.text).digest('hex').slice(0, 32);
  const name = nameLine.exec(text.text)?.[1] ?? annotated(text, digest).metadata.name ?? '';
  let existing: KubeObject | undefined;
  try {
    existing = await client.find({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });
    const known = existing?.metadata.annotations?.[digestAnnotation];
    if (known !== digest && !(keepsOthers && existing && known === undefined))
      await client.apply(annotated(text, digest), { fieldManager, force: true });
    return { name, visible: true, text };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { name, visible: existing !== undefined, text };
  }
}

function annotated({ file, text }: DefinitionText, digest: string): KubeObject {
  const definition = parseYaml(text, { file }) as unknown as KubeObject;
  const { metadata } = definition;
  const annotations = { ...metadata.annotations, [digestAnnotation]: digest };
  return { ...definition, metadata: { ...metadata, annotations } };
}

/** A kind as objects name it. */
interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What of a definition's `spec` tells the kinds that it makes. */
interface DefinedKinds {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly served?: boolean }[];
}

/**
 * Waits until discovery has the kinds: kube-apiserver announces one some time after it has called its definition Established, a
 * moment, or seconds where it has much to do. Gives up after two minutes of the clock.
 */
async function announced(client: Client, kinds: readonly Kind[], clock: Clock): Promise<void> {
  const deadline = clock.now() + establishTimeout;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    client.discovery.invalidate();
    const missing: string[] = [];
    for (const { apiVersion, kind } of kinds)
      if (!(await client.discovery.find(apiVersion, kind))) missing.push(`${kind} of ${apiVersion}`);
    if (missing.length === 0) return;
    if (clock.now() >= deadline)
      throw failure(crdNotEstablished, {
        message: `The API server did not announce ${missing.join(', ')} within ${establishTimeout / 1000} s, although the definitions are established`,
        place: { remote: client.server },
        remedies: ['Look at the load and the log of the API server'],
      });
    await clock.sleep(wait);
  }
}

/** Waits until discovery shows the kind of a definition that the identity may not read. */
async function served(client: Client, { name, text }: Applied, clock: Clock): Promise<void> {
  const { group, names, versions } = annotated(text, '').spec as DefinedKinds;
  const deadline = clock.now() + 30_000;
  while (!(await client.discovery.find(`${group}/${versions[0]?.name}`, names.kind))) {
    if (clock.now() >= deadline) {
      throw failure(crdNotEstablished, {
        message: `${name} is not installed, and this identity may not install it`,
        place: { object: `CustomResourceDefinition ${name}` },
        remedies: ['Install it as an administrator: kubectl apply --server-side -k api/crds'],
      });
    }
    await clock.sleep(500);
    client.discovery.invalidate();
  }
}

/** A loaded API server takes half a minute; one that never will says why in the conditions. */
const establishTimeout = 120_000;

/** The kinds of a definition, once it is established. Gives up after two minutes of the clock, with the conditions that the API server shows. */
async function established(client: Client, name: string, clock: Clock): Promise<Kind[]> {
  const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
  const deadline = clock.now() + establishTimeout;
  for (let wait = 10; ; wait = Math.min(wait * 2, 500)) {
    const definition = await client.get(ref);
    const status = definition.status as
      | { conditions?: { type: string; status: string; message?: string }[] }
      | undefined;
    if (status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True')) {
      const { group, names, versions } = definition.spec as DefinedKinds;
      return versions
        .filter(({ served: isServed }) => isServed)
        .map((version) => ({ apiVersion: `${group}/${version.name}`, kind: names.kind }));
    }
    if (clock.now() >= deadline) {
      throw failure(crdNotEstablished, {
        message: `The API server did not establish ${name} within ${establishTimeout / 1000} s`,
        place: { object: `CustomResourceDefinition ${name}` },
        evidence: { conditions: JSON.stringify(status?.conditions ?? []) },
        remedies: ['Look at the conditions: another definition may claim the same names'],
      });
    }
    await clock.sleep(wait);
  }
}

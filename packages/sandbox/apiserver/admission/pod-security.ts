import { type Attributes, admissionForbidden, namespaceOf } from '@tiphys/admission-rules';
import { FieldErrors } from '@tiphys/apimachinery';
import type { PodObject, PodSpec } from '@tiphys/kinds';
import type { KubeObject, ObjectMeta } from '@tiphys/kubernetes';
import { type Level, type Violation, violations } from './pod-security-checks.ts';

interface Standard {
  readonly level: Level;
  readonly version: string;
}

interface Policy {
  readonly enforce: Standard;
  readonly audit: Standard;
  readonly warn: Standard;
}

const PREFIX = 'pod-security.kubernetes.io/';
const STRICTNESS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const OPEN: Standard = { level: 'privileged', version: 'latest' };
const LATEST = 34;

/** What the labels of a namespace say; mistakes in them go to `errors`. */
function policyOf(labels: Readonly<Record<string, string>>, errors: FieldErrors): Policy {
  const standard = (mode: string, fallback: Level): Standard => {
    const [level, version] = [labels[`${PREFIX}${mode}`], labels[`${PREFIX}${mode}-version`]];
    let chosen: Level = 'privileged';
    if (level !== undefined) {
      if (STRICTNESS.includes(level as Level)) chosen = level as Level;
      else {
        chosen = fallback;
        errors.invalid(`metadata.labels[${PREFIX}${mode}]`, level, `must be one of ${STRICTNESS.join(', ')}`);
      }
    }
    const known = version === undefined || version === 'latest' || /^v1\.([0-9]|[1-9][0-9]*)$/.test(version);
    if (!known) errors.invalid(`metadata.labels[${PREFIX}${mode}-version]`, version, 'must be "latest" or "v1.x"');
    return { level: chosen, version: known ? (version ?? 'latest') : 'latest' };
  };
  const enforce = standard('enforce', 'restricted');
  const audit = standard('audit', 'privileged');
  let warn = standard('warn', 'privileged');
  const valid = STRICTNESS.includes(labels[`${PREFIX}enforce`] as Level);
  if (labels[`${PREFIX}warn`] === undefined && valid && enforce.level !== 'privileged')
    warn = {
      level: enforce.level,
      version: labels[`${PREFIX}warn-version`] === undefined ? enforce.version : warn.version,
    };
  return { enforce, audit, warn };
}

const show = ({ level, version }: Standard): string => JSON.stringify(`${level}:${version}`);
const details = (list: readonly Violation[]): string =>
  list.map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason)).join(', ');

function evaluate({ level, version }: Standard, pod: { metadata: ObjectMeta | undefined; spec: PodSpec }): Violation[] {
  const minor = version === 'latest' ? LATEST : Math.min(Number(version.slice('v1.'.length)), LATEST);
  return violations(level, minor, pod);
}

const IGNORED = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);
const TEMPLATES = new Set([
  'replicationcontrollers',
  'podtemplates',
  'apps/replicasets',
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'batch/jobs',
  'batch/cronjobs',
]);

/** Pod Security admission: refuses, warns about and annotates what violates the standards of the namespace. */
export function enforcePodSecurity(attributes: Attributes): void {
  const { resource, subresource, operation } = attributes;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return;
  if (resource.collection === 'namespaces') checkNamespace(attributes);
  else if (resource.collection === 'pods') {
    if (IGNORED.has(subresource) || (operation === 'UPDATE' && !significant(attributes))) return;
    judge(attributes, attributes.object as PodObject, true);
  } else if (TEMPLATES.has(resource.collection) && !subresource) {
    const template = templateOf(attributes.object as KubeObject);
    if (template?.spec) judge(attributes, template, false);
  }
}

function templateOf(object: KubeObject): { metadata?: ObjectMeta; spec?: PodSpec } | undefined {
  interface WithTemplate {
    template?: { metadata?: ObjectMeta; spec?: PodSpec };
    jobTemplate?: { spec?: WithTemplate };
  }
  const spec = (object.spec ?? object) as WithTemplate;
  return spec.template ?? spec.jobTemplate?.spec?.template;
}

function significant({ object, old }: Attributes): boolean {
  const images = (pod: KubeObject | undefined) => {
    const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod as PodObject).spec;
    return JSON.stringify(
      [containers, initContainers, ephemeralContainers].map((list) => list.map(({ name, image }) => [name, image])),
    );
  };
  return images(object) !== images(old);
}

function judge(attributes: Attributes, pod: { metadata?: ObjectMeta; spec?: PodSpec }, enforced: boolean): void {
  const labels = namespaceOf(attributes)?.metadata.labels ?? {};
  const errors = new FieldErrors();
  const policy = policyOf(labels, errors);
  const subject = { metadata: pod.metadata, spec: pod.spec as PodSpec };
  const found = errors.causes.map(({ field, message }) => `${field}: ${message}`);
  if (found.length)
    attributes.annotate(
      'pod-security.kubernetes.io/error',
      `Failed to parse policy: ${found.length === 1 ? found[0] : `[${found.join(', ')}]`}`,
    );
  if (enforced)
    attributes.annotate(
      'pod-security.kubernetes.io/enforce-policy',
      `${policy.enforce.level}:${policy.enforce.version}`,
    );
  const audited = evaluate(policy.audit, subject);
  if (audited.length)
    attributes.annotate(
      'pod-security.kubernetes.io/audit-violations',
      `would violate PodSecurity ${show(policy.audit)}: ${details(audited)}`,
    );
  const refused = enforced ? evaluate(policy.enforce, subject) : [];
  if (refused.length)
    throw admissionForbidden(attributes, `violates PodSecurity ${show(policy.enforce)}: ${details(refused)}`);
  const warned = evaluate(policy.warn, subject);
  if (warned.length) attributes.warn(`would violate PodSecurity ${show(policy.warn)}: ${details(warned)}`);
}

function checkNamespace(attributes: Attributes): void {
  const { object, old, operation, subresource } = attributes;
  if (subresource || !object) return;
  const errors = new FieldErrors();
  const policy = policyOf(object.metadata.labels ?? {}, errors);
  const before = new FieldErrors();
  const previous = old ? policyOf(old.metadata.labels ?? {}, before) : { enforce: OPEN };
  if (errors.any && (operation === 'CREATE' || JSON.stringify(errors.causes) !== JSON.stringify(before.causes)))
    errors.throwIfAny({ group: '', name: 'Namespace' }, object.metadata.name ?? '');
  const { enforce } = policy;
  if (operation !== 'UPDATE' || enforce.level === 'privileged') return;
  const sameVersion = enforce.version === previous.enforce.version;
  if (sameVersion && STRICTNESS.indexOf(enforce.level) <= STRICTNESS.indexOf(previous.enforce.level)) return;
  warnOfPods(attributes, enforce);
}

/** Pods that are there already and would not be allowed any more. */
function warnOfPods({ server, warn, name }: Attributes, enforce: Standard): void {
  const pods = server.store.collection('pods');
  const found = new Map<string, string[]>();
  for (const key of pods.keys().filter((candidate) => candidate.startsWith(`${name}/`))) {
    const pod = pods.get(key)?.object as PodObject;
    const list = evaluate(enforce, pod);
    if (!list.length) continue;
    const text = list.map(({ reason }) => reason).join(', ');
    found.set(text, [...(found.get(text) ?? []), pod.metadata.name ?? '']);
  }
  if (!found.size) return;
  warn(`existing pods in namespace ${JSON.stringify(name)} violate the new PodSecurity enforce level ${show(enforce)}`);
  const lines = [...found].map(([text, names]) => {
    const more = names.length - 1;
    const others = more === 0 ? '' : ` (and ${more} other ${more === 1 ? 'pod' : 'pods'})`;
    return `${names.sort()[0]}${others}: ${text}`;
  });
  for (const line of lines.sort()) warn(line);
}

import { GoError } from '../failure/go-error.ts';
import type { Image, Kustomization, Label, Patch, Replica } from '../kustomization/kustomization.ts';
import { splitImage } from '../transform/images.ts';

/** Changes to a kustomization, by the rules of `kustomize edit`. */
export interface KustomizationEdits {
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  /** `name=new:tag`, `name:tag`, `name@digest`, … */
  readonly images?: readonly string[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  readonly labels?: ReadonlyMap<string, string>;
  readonly labelOptions?: LabelOptions;
  readonly annotations?: ReadonlyMap<string, string>;
  /** Annotations that are there are overwritten; an error without. */
  readonly forceAnnotations?: boolean;
  readonly namespace?: string;
  readonly patches?: readonly Patch[];
  readonly components?: readonly string[];
  /** Field under which who gives the edits has them, by the same names; their entries are told there, as no file has them. */
  readonly field?: string;
}

export interface LabelOptions {
  /** Labels that are there are overwritten; an error without. */
  readonly force?: boolean;
  readonly withoutSelector?: boolean;
  readonly includeTemplates?: boolean;
}

/** Applies all edits to the fields. Throws in Kustomize's words. */
export function applyEdits(fields: Kustomization, edits: KustomizationEdits): void {
  if (edits.namePrefix) fields.namePrefix = edits.namePrefix;
  if (edits.nameSuffix) fields.nameSuffix = edits.nameSuffix;
  if (edits.images?.length) setImages(fields, edits.images);
  if (edits.replicas?.length) setReplicas(fields, edits.replicas);
  if (edits.labels?.size) addLabels(fields, edits.labels, edits.labelOptions ?? {});
  if (edits.annotations?.size) addAnnotations(fields, edits.annotations, edits.forceAnnotations ?? false);
  if (edits.namespace) fields.namespace = edits.namespace;
  if (edits.patches?.length) fields.patches = [...(fields.patches ?? []), ...edits.patches];
  for (const component of edits.components ?? []) addOnce(fields, 'components', component);
}

/** Where an entry of the edited fields was given, if it was by the edits: its path below `edits.field`. */
export function givenBy(
  fields: Kustomization,
  edits: KustomizationEdits | undefined,
  entry: string,
  index: readonly number[],
): string | undefined {
  if (!edits?.field) return undefined;
  const [at = 0] = index;
  const found = placesIn(fields, edits)[entry]?.(at);
  return found === undefined ? undefined : `${edits.field}.${found}`;
}

function placesIn(
  fields: Kustomization,
  edits: KustomizationEdits,
): Readonly<Record<string, (at: number) => string | undefined>> {
  const listed = (name: string, at: number) => (at < 0 ? undefined : `${name}[${at}]`);
  const { images = [], replicas = [], patches = [], labels, annotations } = edits;
  // an entry to which the file gave something, too, stays the file's
  const ofEdits = (pairs: ReadonlyMap<string, string> | undefined, given: ReadonlyMap<string, string> | undefined) =>
    [...(pairs?.keys() ?? [])].every((key) => given?.has(key));
  return {
    images: (at) =>
      listed(
        'images',
        images.findLastIndex((image) => parseImage(image).name === fields.images?.[at]?.name),
      ),
    replicas: (at) =>
      listed(
        'replicas',
        replicas.findLastIndex(({ name }) => name === fields.replicas?.[at]?.name),
      ),
    patches: (at) => listed('patches', at - ((fields.patches?.length ?? 0) - patches.length)),
    namePrefix: () => (edits.namePrefix ? 'namePrefix' : undefined),
    nameSuffix: () => (edits.nameSuffix ? 'nameSuffix' : undefined),
    namespace: () => (edits.namespace ? 'namespace' : undefined),
    labels: (at) => (ofEdits(fields.labels?.[at]?.pairs, labels) ? 'commonLabels' : undefined),
    commonLabels: () => (ofEdits(fields.commonLabels, labels) ? 'commonLabels' : undefined),
    commonAnnotations: () => (ofEdits(fields.commonAnnotations, annotations) ? 'commonAnnotations' : undefined),
  };
}

const imageForms = `invalid format of image, use one of the following options:
- <image>=<newimage>:<newtag>
- <image>=<newimage>@<digest>
- <image>=<newimage>:<newtag>@<digest>
- <image>=<newimage>
- <image>:<newtag>
- <image>:<newtag>@<digest>
- <image>@<digest>`;

/** Sets images; `*` keeps what is there. All end up sorted by name, each name once. */
export function setImages(fields: Kustomization, args: readonly string[]): void {
  if (args.length === 0) throw new GoError('no image specified');
  const images = new Map<string, Image>();
  for (const arg of args) {
    const image = parseImage(arg);
    images.set(image.name ?? '', image);
  }
  for (const image of fields.images ?? []) {
    const name = image.name ?? '';
    const wanted = images.get(name);
    images.set(name, wanted ? kept(wanted, image) : image);
  }
  fields.images = [...images.values()].map((image) => kept(image, {})).sort(byName);
}

function kept(image: Image, before: Image): Image {
  const result: Image = { ...image };
  for (const field of ['newName', 'newTag', 'digest'] as const) {
    if (image[field] !== '*') continue;
    const old = before[field];
    if (old) result[field] = old;
    else delete result[field];
  }
  return result;
}

function parseImage(arg: string): Image {
  const at = arg.indexOf('=');
  const [key, value] = at < 0 ? ['', arg] : [arg.slice(0, at), arg.slice(at + 1)];
  const { name, tag, digest } = splitImage(value);
  if (name === arg) throw new GoError(imageForms, { evidence: { image: arg } });
  return {
    name: key === '' ? name : key,
    ...(key === '' || name === '' ? {} : { newName: name }),
    ...(tag === '' ? {} : { newTag: tag }),
    ...(digest === '' ? {} : { digest }),
  };
}

function byName(a: { name?: string }, b: { name?: string }): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}

/** Sets replicas, sorted by name. */
export function setReplicas(fields: Kustomization, replicas: readonly Replica[]): void {
  const all = new Map([...(fields.replicas ?? []), ...replicas].map((replica) => [replica.name ?? '', replica]));
  fields.replicas = [...all.values()].sort(byName);
}

/** Reads `name=count`. */
export function parseReplica(arg: string): { name: string; count: number } {
  const [name = '', count = '', ...more] = arg.split('=');
  if (more.length > 0 || !/^[+-]?\d+$/.test(count))
    throw new GoError('invalid format of replica, use the following format: <name>=<count>', {
      evidence: { replica: arg },
    });
  return { name, count: Number(count) };
}

/** Adds labels to `commonLabels`, or without selectors to `labels`. */
export function addLabels(fields: Kustomization, labels: ReadonlyMap<string, string>, options: LabelOptions): void {
  const { force = false, withoutSelector = false, includeTemplates = false } = options;
  if (!withoutSelector) {
    if (includeTemplates)
      throw new GoError('--without-selector flag must be specified for --include-templates to work');
    fields.commonLabels = merged(fields.commonLabels, labels, 'label', force);
    return;
  }
  const list: Label[] = [...(fields.labels ?? [])];
  const index = list.findIndex(
    (label) => !label.includeSelectors && (label.includeTemplates ?? false) === includeTemplates,
  );
  const found = list[index];
  if (found) list[index] = { ...found, pairs: merged(found.pairs, labels, 'label', force) };
  else list.push({ pairs: new Map(labels), ...(includeTemplates ? { includeTemplates } : {}) });
  fields.labels = list;
}

/** Adds annotations to `commonAnnotations`. */
export function addAnnotations(fields: Kustomization, annotations: ReadonlyMap<string, string>, force: boolean): void {
  fields.commonAnnotations = merged(fields.commonAnnotations, annotations, 'annotation', force);
}

function merged(
  before: ReadonlyMap<string, string> | undefined,
  more: ReadonlyMap<string, string>,
  what: 'label' | 'annotation',
  force: boolean,
): ReadonlyMap<string, string> {
  const result = new Map(before);
  for (const [key, value] of more) {
    if (result.has(key) && !force)
      throw new GoError(`${what} ${key} already in kustomization file. Use --force to override.`, {
        evidence: { [what]: key, 'has now': result.get(key) },
      });
    result.set(key, value);
  }
  return result;
}

type ListField = 'resources' | 'components' | 'transformers' | 'generators' | 'buildMetadata';

/** Adds an entry to a list that has it not yet; tells whether it did. */
export function addOnce(fields: Kustomization, field: ListField, entry: string): boolean {
  const list = fields[field] ?? [];
  if (list.includes(entry)) return false;
  fields[field] = [...list, entry];
  return true;
}

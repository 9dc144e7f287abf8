import type { Application, ApplicationSet, ApplicationSetGenerator, ApplicationSource } from '@tiphys/api';
import { manifestSourcesOf } from '@tiphys/applications';
import { everyGenerator } from '@tiphys/applicationsets';
import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { type KubeObject, keyOf, keyString } from '@tiphys/kubernetes';
import { inParallel } from '@tiphys/preview';
import type { Clone } from './clone.ts';
import { type Declared, sorted } from './declared.ts';
import { namespace, type Stage } from './stage.ts';

/** One application at one of the revisions. */
export interface Drawn {
  readonly application: Application;
  readonly revisions: readonly string[];
  readonly objects: readonly KubeObject[];
  /** Why there are none. */
  readonly problem?: Diagnosis;
}

export interface Side {
  /** By namespace and name. */
  readonly drawn: ReadonlyMap<string, Drawn>;
  readonly notes: readonly string[];
}

/** What stands for the revision that is previewed. */
export interface Place {
  readonly clone: Clone;
  readonly commit: string;
  /** Whether a revision that a source names is the one that is merged into. */
  readonly tracks: (revision: string) => boolean;
}

/** An application that makes applications that make applications … */
const mostGenerations = 10;

/** Renders what is declared, and the applications that this declares, at one commit of the clone. */
export async function drawSide(
  stage: Stage,
  place: Place,
  declared: Declared,
  wanted: (key: string) => boolean,
  signal: AbortSignal,
): Promise<Side> {
  const drawn = new Map<string, Drawn>();
  const notes = new Set<string>();
  let { applications, sets, projects } = declared;
  for (let generation = 0; applications.length + sets.length > 0; generation++) {
    if (generation === mostGenerations) {
      notes.add(`applications that come of more than ${mostGenerations} others, one from the other, are left out`);
      break;
    }
    const generated = await inParallel(sets, (set) => generate(stage, place, set, { notes, signal }));
    const next = new Map<string, Application>();
    for (const application of [...applications, ...generated.flat()]) {
      const key = keyOfApplication(application);
      const known = drawn.get(key)?.application.spec;
      // a file as it stands is not the last word where an application renders it
      if (!known || JSON.stringify(known) !== JSON.stringify(application.spec)) next.set(key, application);
    }
    const named = new Set([...next.values()].map(({ spec }) => spec.project || 'default'));
    for (const name of await stage.project(projects, named))
      notes.add(`project ${name} is declared nowhere here: none of its rules is looked at`);
    const found = await inParallel([...next], async ([key, application]) => {
      const one = await draw(stage, place, application, signal);
      drawn.set(key, one);
      return one.objects;
    });
    ({ applications, sets, projects } = sorted(found.flat()));
  }
  for (const key of [...drawn.keys()]) if (!wanted(key)) drawn.delete(key);
  return { drawn, notes: [...notes] };
}

export function keyOfApplication({ metadata }: Application): string {
  return `${metadata.namespace || namespace}/${metadata.name}`;
}

async function draw(stage: Stage, place: Place, given: Application, signal: AbortSignal): Promise<Drawn> {
  const { spec, metadata } = given;
  // which cluster it is for, and that it is reached, makes no manifest
  const destination = { server: stage.server, namespace: spec.destination.namespace ?? '' };
  const application = {
    ...given,
    metadata: { ...metadata, namespace: metadata.namespace || namespace },
    spec: { ...spec, destination },
  } as Application;
  const sources = manifestSourcesOf(spec);
  const denials = sources.map((source) => stage.denial(spec.project || 'default', source)).filter((each) => !!each);
  if (denials[0]) return { application: given, revisions: [], objects: [], problem: denials[0] };
  const revisions = sources.map((source) => (isOwn(place, source) ? place.commit : ''));
  try {
    const { objects, revisions: resolved } = await stage.backend.render(application, {
      revisions,
      signal,
    });
    return { application: given, revisions: resolved, objects: withoutDoubles(objects.map(({ object }) => object)) };
  } catch (error) {
    signal.throwIfAborted();
    return { application: given, revisions, objects: [], problem: diagnosisOf(error) };
  }
}

/** Upstream rule: the last of several that are one object counts. */
function withoutDoubles(objects: readonly KubeObject[]): KubeObject[] {
  return [...new Map(objects.map((object) => [keyString(keyOf(object)), object])).values()];
}

function isOwn(place: Place, { repoURL, chart, targetRevision }: ApplicationSource): boolean {
  return !chart && place.clone.isOf(repoURL) && place.tracks(targetRevision || 'HEAD');
}

async function generate(
  stage: Stage,
  place: Place,
  given: ApplicationSet,
  { notes, signal }: { notes: Set<string>; signal: AbortSignal },
): Promise<Application[]> {
  const { name = '' } = given.metadata;
  const set = structuredClone({
    ...given,
    metadata: { ...given.metadata, namespace: given.metadata.namespace || namespace },
  });
  for (const generator of everyGenerator((set.spec.generators ?? []) as ApplicationSetGenerator[])) {
    const { git } = generator;
    if (git && place.clone.isOf(git.repoURL) && place.tracks(git.revision || 'HEAD')) git.revision = place.commit;
  }
  const { applications, failures, gaps } = await stage.sets.generate(set, signal);
  for (const { message } of [...failures.map(({ diagnosis }) => diagnosis), ...gaps])
    notes.add(`ApplicationSet ${name}: ${message}`);
  return applications.map(({ application }) => application);
}

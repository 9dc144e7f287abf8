import type { Application, ApplicationSet, AppProject } from '@tiphys/api';
import { allSourcesOf } from '@tiphys/applications';
import type { KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import type { Clone } from './clone.ts';

/** What says which applications there are. */
export interface Declared {
  readonly applications: Application[];
  readonly sets: ApplicationSet[];
  readonly projects: AppProject[];
}

const kinds = '^[ "{,-]*"?kind"?: *"?(Application|ApplicationSet|AppProject|List)"?';

/**
 * The Applications, ApplicationSets and AppProjects that files of a commit declare as they stand. Templates of charts and patches are no
 * declarations: what an application renders is found when it is rendered.
 */
export async function declaredAt(clone: Clone, commit: string, paths: readonly string[]): Promise<Declared> {
  const texts = await clone.read(commit, await clone.filesWith(commit, kinds, paths));
  return sorted(texts.flatMap(documentsOf));
}

/** Those among objects. */
export function sorted(objects: readonly unknown[]): Declared {
  const declared: Declared = { applications: [], sets: [], projects: [] };
  for (const object of objects.filter(isArgo)) {
    if (object.kind === 'Application' && isWhole(object)) declared.applications.push(object);
    if (object.kind === 'ApplicationSet' && Array.isArray(specOf(object).generators))
      declared.sets.push(object as unknown as ApplicationSet);
    if (object.kind === 'AppProject') declared.projects.push(object as unknown as AppProject);
  }
  return declared;
}

export function documentsOf(text: string): unknown[] {
  try {
    return parseDocuments(text).documents.flatMap(({ value }) => {
      const { kind, items } = (value ?? {}) as { kind?: unknown; items?: unknown };
      return kind === 'List' && Array.isArray(items) ? items : [value];
    });
  } catch {
    // a template that is no YAML before it is rendered declares nothing
    return [];
  }
}

function isArgo(object: unknown): object is KubeObject {
  if (typeof object !== 'object' || object === null) return false;
  const { apiVersion, metadata } = object as Partial<KubeObject>;
  return apiVersion === 'argoproj.io/v1alpha1' && typeof metadata?.name === 'string' && !metadata.name.includes('{{');
}

function specOf(object: KubeObject): Record<string, unknown> {
  return typeof object.spec === 'object' && object.spec !== null ? (object.spec as Record<string, unknown>) : {};
}

/** A patch of an application has a name too, but says not where its sources are or where it goes. */
function isWhole(object: KubeObject): object is Application {
  const spec = specOf(object) as unknown as Application['spec'];
  if (typeof spec.destination !== 'object' || spec.destination === null) return false;
  const sources = allSourcesOf(spec);
  return sources.length > 0 && sources.every((source) => typeof source?.repoURL === 'string');
}

import type { Application, ApplicationSource } from '@tiphys/api';
import { manifestSourcesOf, type SourceBranch } from '@tiphys/applications';
import type { ServerContext } from '../context/server-context.ts';
import { sameRepository } from '../repositories/same-repository.ts';
import { documentsOf, editValue, type ValuePlace, valueAt } from './edit-value.ts';
import type { PromotedVersion } from './pin-changes.ts';
import { withoutSlash } from './pins.ts';
import { filesOfSource } from './source-files.ts';
import type { PromotionRequest } from './version-promotion.ts';

/** A chart that both applications are made of, in different versions. */
export interface WantedChart extends PromotedVersion {
  /** Which of the sources of the second application it is. */
  readonly index: number;
}

export interface DeclaredChange {
  readonly target: SourceBranch;
  readonly files: ReadonlyMap<string, string>;
  /** The application that delivers the second one. */
  readonly parent: Application;
}

/** The charts of sources that both have, and that the second one has in another version now. */
export function wantedCharts(
  from: { readonly app: Application; readonly revisions: readonly string[] },
  to: { readonly app: Application; readonly revisions: readonly string[] },
): WantedChart[] {
  const newer = manifestSourcesOf(from.app.spec).map((source, index) => ({ source, version: from.revisions[index] }));
  return manifestSourcesOf(to.app.spec).flatMap((source, index) => {
    if (!isPublished(source)) return [];
    const versions = [
      ...new Set(
        newer.flatMap(({ source: other, version }) =>
          other.repoURL === source.repoURL && other.chart === source.chart && version ? [version] : [],
        ),
      ),
    ];
    const [version, ...others] = versions;
    const current = to.revisions[index] ?? '';
    if (version === undefined || (version === current && others.length === 0)) return [];
    const name = [withoutSlash(source.repoURL), ...(source.chart ? [source.chart] : [])].join('/');
    const left = others.length > 0 ? `it is delivered in ${versions.length} versions` : undefined;
    return [{ kind: 'chart', name, from: [current], to: version, index, ...(left ? { left } : {}) }];
  });
}

function isPublished({ chart, repoURL }: ApplicationSource): boolean {
  return Boolean(chart) || repoURL.startsWith('oci://');
}

/**
 * The change of the manifest of the second application, in a source of the one that delivers it; or why there is none. What its own
 * object says counts nothing: the next sync of its parent would take it back.
 */
export async function declaredChange(
  context: ServerContext,
  { to, maySee, signal }: PromotionRequest,
  charts: readonly WantedChart[],
): Promise<DeclaredChange | string> {
  const owner = to.metadata.ownerReferences?.find(({ kind }) => kind === 'ApplicationSet');
  if (owner) return `ApplicationSet ${owner.name} makes the application: its template or its elements say the version`;
  const parents = [...context.applications.list()].filter((app) => delivers(app, to) && maySee(app));
  if (parents.length === 0)
    return 'no application delivers the manifest of the application, so that nobody would apply what is committed';
  for (const parent of parents)
    for (const [index, source] of manifestSourcesOf(parent.spec).entries()) {
      if (isPublished(source)) continue;
      const target = await context.backend.sourceBranch(parent, index, signal);
      const texts = await filesOfSource(await target.filesAt(target.tip), manifestSourcesOf(parent.spec), index);
      const files = changedManifests(texts, to, charts);
      if (files.size > 0) return { target, files, parent };
    }
  const names = parents.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
  return `no file of ${names} says it in a manifest of the application; templates are not changed`;
}

function delivers({ metadata, status }: Application, { metadata: child }: Application): boolean {
  return Boolean(
    status?.resources?.some(
      ({ group, kind, namespace, name }) =>
        group === 'argoproj.io' &&
        kind === 'Application' &&
        name === child.name &&
        (namespace || metadata.namespace) === child.namespace,
    ),
  );
}

function changedManifests(
  texts: ReadonlyMap<string, string>,
  to: Application,
  charts: readonly WantedChart[],
): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, text] of texts) {
    let edited: string | undefined = text;
    for (const [document, value] of documentsOf(text).entries()) {
      if (valueAt(value, ['kind']) !== 'Application' || valueAt(value, ['metadata', 'name']) !== to.metadata.name)
        continue;
      const namespace = valueAt(value, ['metadata', 'namespace']) ?? to.metadata.namespace;
      if (namespace !== to.metadata.namespace) continue;
      for (const chart of charts) {
        const place = placeOf(value, to, chart);
        edited = place && edited && editValue(edited, { document, path: place }, chart.to);
      }
    }
    if (edited !== undefined && edited !== text) files.set(path, edited);
  }
  return files;
}

/** Where the manifest says the version of the same source. */
function placeOf(value: unknown, to: Application, { index }: WantedChart): ValuePlace['path'] | undefined {
  const wanted = manifestSourcesOf(to.spec)[index] as ApplicationSource;
  const path = to.spec.sources?.length ? ['spec', 'sources', index] : ['spec', 'source'];
  const [repoURL, chart] = ['repoURL', 'chart'].map((key) => valueAt(value, [...path, key]));
  const same = typeof repoURL === 'string' && sameRepository(repoURL, wanted.repoURL) && chart === wanted.chart;
  return same ? [...path, 'targetRevision'] : undefined;
}

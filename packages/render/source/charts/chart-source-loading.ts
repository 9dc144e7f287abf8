import type { ApplicationSource } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { chartRevisionMissing } from '../request/diagnoses.ts';
import type { RenderRequest } from '../request/rendered.ts';
import type { proveChart as proveChartOf } from './chart-proof.ts';
import type { ChartBounds } from './chart-selection.ts';
import type { AskOptions, ChartSources, ChartSourcesOptions, PublishedFiles } from './chart-source.ts';
import type { ChartDependencies } from './chart-source-dependencies.ts';
import type {
  ChartPlace,
  chartPlace as chartPlaceOf,
  repositoryPlace as repositoryPlaceOf,
} from './chart-source-place.ts';

/** What is needed to read charts where they are published. */
export interface Published {
  readonly sources: ChartSources;
  readonly dependencies: ChartDependencies;
  readonly chartPlace: typeof chartPlaceOf;
  readonly repositoryPlace: typeof repositoryPlaceOf;
  readonly proveChart: typeof proveChartOf;
}

type Wanted = Pick<RenderRequest, 'source' | 'repository'>;

/** Helm repositories and registries, loaded when the first of them is met. */
export class PublishedCharts {
  readonly #options: ChartSourcesOptions;
  readonly #bounds: ChartBounds;
  #loaded: Promise<Published> | undefined;

  constructor(options: ChartSourcesOptions, bounds: ChartBounds) {
    this.#options = options;
    this.#bounds = bounds;
  }

  load(): Promise<Published> {
    this.#loaded ??= Promise.all([
      import('./chart-source.ts'),
      import('./chart-source-place.ts'),
      import('./chart-source-dependencies.ts'),
      import('./chart-proof.ts'),
    ]).then(([module, { chartPlace, repositoryPlace }, dependencies, { proveChart }]) => {
      const sources = new module.ChartSources(this.#options);
      const { clock } = this.#options;
      return {
        sources,
        chartPlace,
        repositoryPlace,
        proveChart,
        dependencies: new dependencies.ChartDependencies(sources, this.#bounds, clock),
      };
    });
    return this.#loaded;
  }

  /** Where the source's chart or artifact is published; undefined for what is in Git. */
  async place(wanted: Wanted): Promise<ChartPlace | undefined> {
    const { repoURL, chart } = wanted.source;
    return chart || repoURL.startsWith('oci://') ? (await this.load()).chartPlace(wanted) : undefined;
  }

  /** The version, or the digest, that a revision is now; the source's target if it is empty. */
  async revision(place: ChartPlace, source: ApplicationSource, revision: string, options: AskOptions): Promise<string> {
    return (await this.load()).sources.revision(place, revision || targetOf(source), options);
  }

  async files(place: ChartPlace, revision: string, options: AskOptions): Promise<PublishedFiles> {
    return (await this.load()).sources.files(place, revision, options);
  }
}

/** A chart of a repository or a registry is nothing without a version, as upstream. */
function targetOf({ chart, targetRevision = '' }: ApplicationSource): string {
  if (targetRevision !== '' || !chart) return targetRevision;
  throw failure(chartRevisionMissing, {
    message: 'spec.source.targetRevision is required if the manifest source is a helm chart',
    place: { field: 'spec.source.targetRevision' },
    remedies: [{ text: 'Name a version or a range', paste: 'targetRevision: 1.2.*' }],
  });
}

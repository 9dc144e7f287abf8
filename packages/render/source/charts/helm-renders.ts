import type { Clock } from '@tiphys/kubernetes';
import { ownerOf } from '../outcomes/generated-values.ts';
import type { Attempt, Outcomes } from '../outcomes/outcomes.ts';
import { buildEnvironment, substitute } from '../request/build-environment.ts';
import { digestOf } from '../request/digest-of.ts';
import { type AskedLookup, answersTo, lookupKey } from '../request/lookups.ts';
import type { Outcome } from '../request/outcome.ts';
import type { RenderRequest } from '../request/rendered.ts';
import type { Rendering } from '../request/rendering.ts';
import { type HelmDetails, helmDetails } from '../request/source-details.ts';
import type { SourcePlace, SourceTool } from '../request/source-tool.ts';
import { turnRequest } from '../request/turn-request.ts';
import type { ChartRenderer, ChartRequest } from '../threads/chart-renderer.ts';
import { helmInvocation, placedInParameters } from '../threads/helm-options.ts';
import { readValueFiles } from '../threads/helm-value-files.ts';
import type { RenderThreads } from '../threads/render-threads.ts';
import { type ChartBounds, readChart, selectChart } from './chart-selection.ts';
import type { PublishedCharts } from './chart-source-loading.ts';
import { accessOf } from './chart-source-place.ts';
import type { RemoteFiles } from './remote-files.ts';

interface HelmParts {
  readonly clock: Clock;
  readonly published: PublishedCharts;
  readonly bounds: ChartBounds;
  /** Objects of one source. */
  readonly objects: number;
  /** Bytes of one file of values. */
  readonly maxBytes: number;
  readonly threads: RenderThreads;
  readonly outcomes: Outcomes;
}

/** What a chart asked for while it rendered, with what was found. */
interface Answers {
  readonly lookups: Map<string, AskedLookup>;
  /** Text, or why there is none. */
  readonly schemas: Map<string, string | Error>;
}

const defaultSchemes = ['https', 'http'];
/** A lookup whose arguments come from another one needs a round more. */
const maxLookupRounds = 8;
const maxSchemas = 50;

function placed(outcome: Outcome, { source }: RenderRequest): Outcome {
  if (outcome.kind !== 'failed' || !source.helm) return outcome;
  return { ...outcome, diagnosis: placedInParameters(outcome.diagnosis, source.helm) };
}

/** Renders charts, each once for all that it read. */
export class HelmRenders implements SourceTool {
  readonly #parts: HelmParts;
  #remote: Promise<RemoteFiles> | undefined;

  constructor(parts: HelmParts) {
    this.#parts = parts;
  }

  /** What a chart can be told; it is not rendered. */
  async details(request: RenderRequest, { tree, observed, folder, references }: SourcePlace): Promise<HelmDetails> {
    const { maxBytes } = this.#parts;
    const { helm } = request.source;
    const environment = buildEnvironment(request, tree.commit);
    const chosen = await readValueFiles(observed, helm?.valueFiles ?? [], {
      folder: folder.path,
      ignoreMissing: helm?.ignoreMissingValueFiles ?? false,
      maxBytes,
      references,
      schemes: request.valuesFileSchemes ?? defaultSchemes,
      substitute: (text) => substitute(text, environment),
      isVariable: (name) => Object.hasOwn(environment, name),
      fetch: (url) => this.#text(url, request),
    });
    return helmDetails(tree, folder.path, helm, { chosen, maxBytes });
  }

  /**
   * A chart's lookups, and the schemas that its own refer to, are known only after it was rendered: then they are asked, and
   * it is rendered again with the answers.
   */
  async render(request: RenderRequest, { tree, observed, folder, references }: SourcePlace): Promise<Rendering> {
    const { published, bounds, objects, maxBytes } = this.#parts;
    const selection = await selectChart(tree, folder, bounds);
    const dependencies = await (await published.load()).dependencies.of(request, tree, folder, selection);
    const environment = buildEnvironment(request, tree.commit);
    const facts: Record<string, string> = { ...dependencies.facts };
    const substituted = (name: string) => {
      facts[name] = environment[name] ?? '';
    };
    const invocation = await helmInvocation(request, observed, {
      folder: folder.path,
      ignoreMissing: false,
      maxBytes,
      references,
      schemes: request.valuesFileSchemes ?? defaultSchemes,
      substitute: (text) => substitute(text, environment, substituted),
      isVariable: (name) => Object.hasOwn(environment, name),
      fetch: async (url) => {
        const text = await this.#text(url, request);
        facts[`text of ${url}`] = digestOf(text);
        return text;
      },
    });
    const settings = digestOf({ type: 'Helm', folder: folder.path, invocation, objects });
    const known = digestOf([settings, selection.digest, dependencies.digest]);
    const asked: Answers = { lookups: new Map(), schemas: new Map() };
    for (let round = 0; ; round += 1) {
      const answers = await answersTo(asked.lookups, request.cluster);
      const told = [...asked.schemas].map(([url, found]) => [url, String(found)]);
      const digest = digestOf([known, ...answers, ...(told.length > 0 ? [{ schemas: told }] : [])]);
      const task = {
        chart: {
          key: digestOf([folder.path, selection.digest, dependencies.digest]),
          folder: folder.path,
          files: async () => dependencies.complete(await readChart(tree, folder, selection, bounds)),
        },
        invocation,
        answers,
        remoteSchemas: asked.schemas,
        recorded: request.recorded ?? [],
        maxObjects: objects,
        ...turnRequest(request),
      };
      const outcome = await this.#parts.outcomes.generating(digest, request, (signal) =>
        this.#attempt({ ...task, owner: ownerOf(request), signal }),
      );
      if (await this.#ask(outcome, asked, request, round)) continue;
      for (const [key, found] of answers) facts[`lookup ${key}`] = digestOf(found);
      for (const [url, found] of asked.schemas) facts[`text of ${url}`] = digestOf(String(found));
      const used = outcome.kind === 'objects' ? outcome.generated?.used : undefined;
      if (used) facts.generated = digestOf(used);
      return {
        outcome: placed(outcome, request),
        digest: used ? digestOf([digest, facts.generated]) : digest,
        settings,
        paths: [...selection.paths, ...dependencies.paths],
        facts,
        ...(request.explain && outcome.kind === 'objects'
          ? await this.#explained({ ...task, recorded: used ?? task.recorded, explain: request.explain }, request)
          : {}),
      };
    }
  }

  /** The same render again, with what it has made traced: what is cached does not tell. */
  async #explained(
    task: Omit<ChartRequest, 'onLookups'>,
    { signal }: RenderRequest,
  ): Promise<Pick<Rendering, 'fields'>> {
    const charts = await this.#parts.threads.charts();
    const { fields } = await charts.render({ ...task, onLookups: () => undefined, ...(signal ? { signal } : {}) });
    return fields ? { fields } : {};
  }

  async #attempt(
    task: Omit<Parameters<ChartRenderer['render']>[0], 'onLookups' | 'onSchema'> & { readonly owner: string },
  ): Promise<Attempt> {
    const { owner, ...rest } = task;
    let lookups: readonly AskedLookup[] = [];
    let schema: string | undefined;
    const attempt = await this.#parts.outcomes.attempt(async () => {
      const charts = await this.#parts.threads.charts();
      const { objects, warnings, used, fresh } = await charts.render({
        ...rest,
        onLookups: (found) => {
          lookups = found;
        },
        onSchema: (url) => {
          schema = url;
        },
      });
      const generated = used.length > 0 ? { owner, used, fresh } : undefined;
      return { objects, warnings, ...(generated ? { generated } : {}) };
    });
    return { ...attempt, outcome: { ...attempt.outcome, lookups, ...(schema ? { schema } : {}) } };
  }

  /** Whether the outcome asks for more than it was told; that is found out. */
  async #ask(outcome: Outcome, { lookups, schemas }: Answers, request: RenderRequest, round: number) {
    const { schema } = outcome;
    if (schema !== undefined && !schemas.has(schema)) {
      const found =
        schemas.size < maxSchemas
          ? await this.#text(schema, request).catch((error: unknown) => {
              request.signal?.throwIfAborted();
              return new Error(`HTTP request failed for ${schema}: ${error instanceof Error ? error.message : error}`);
            })
          : new Error(`${schema} would be document ${maxSchemas + 1} of this chart's schemas`);
      schemas.set(schema, found);
      return true;
    }
    const unanswered = (outcome.lookups ?? []).filter((wanted) => !lookups.has(lookupKey(wanted)));
    if (!request.cluster?.lookup || unanswered.length === 0 || round >= maxLookupRounds + schemas.size) return false;
    for (const wanted of unanswered) lookups.set(lookupKey(wanted), wanted);
    return true;
  }

  async #text(url: string, request: RenderRequest): Promise<string> {
    this.#remote ??= import('./remote-files.ts').then((module) => new module.RemoteFiles(this.#parts.clock));
    const { maxAge, signal } = request;
    return (await this.#remote).text(url, accessOf(request.repository), {
      ...(maxAge === undefined ? {} : { maxAge }),
      signal,
    });
  }
}

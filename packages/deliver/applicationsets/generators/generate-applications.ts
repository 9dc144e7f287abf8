import type { Application, ApplicationSet } from '@tiphys/api';
import { type Diagnosis, diagnosisOf, within } from '@tiphys/diagnosis';
import type { Origin } from '../params/params.ts';
import { renderApplication } from '../template/render-application.ts';
import { emptyNotices } from './empty-notices.ts';
import { evaluate } from './evaluate.ts';
import type { GeneratorContext } from './generator.ts';
import type { GeneratorSources } from './sources.ts';

/** An Application as the template gives it, with the element that it was made for. */
export interface GeneratedApplication {
  readonly application: Application;
  readonly origin: Origin;
  /** Names of what the element gives the template. */
  readonly parameters: readonly string[];
}

export interface Generation {
  readonly applications: readonly GeneratedApplication[];
  /** Reasons why some may be lacking although nothing failed; nothing may be deleted then. */
  readonly gaps: readonly Diagnosis[];
  /** What is worth knowing although nothing failed: of a merge that merges nothing, of generators that gave nothing where all of them did. */
  readonly notices: readonly Diagnosis[];
  /** What failed, in order; upstream's rule is that nothing is changed then. */
  readonly failures: readonly GenerationFailure[];
}

export interface GenerationFailure {
  /** Upstream's reason of the condition. */
  readonly reason: 'ApplicationGenerationFromParamsError' | 'RenderTemplateParamsError';
  readonly diagnosis: Diagnosis;
  /** The element whose Application could not be made. */
  readonly origin?: Origin;
}

/** Evaluates the generators of a set and fills its template with each element. Never throws but when the signal aborts. */
export async function generateApplications(
  set: ApplicationSet,
  sources: GeneratorSources,
  { refresh = false, signal }: { refresh?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<Generation> {
  const dialect = { goTemplate: set.spec.goTemplate ?? false, options: set.spec.goTemplateOptions ?? [] };
  const context: GeneratorContext = { set, dialect, sources, refresh, signal };
  const applications: GeneratedApplication[] = [];
  const gaps: Diagnosis[] = [];
  const told: Diagnosis[] = [];
  const failures: GenerationFailure[] = [];
  for (const [index, generator] of (set.spec.generators ?? []).entries()) {
    const field = `spec.generators[${index}]`;
    try {
      for (const { elements, template, gaps: lacking, notices = [] } of await evaluate(generator, context, field)) {
        gaps.push(...lacking);
        told.push(...notices);
        for (const { params, origin } of elements) {
          try {
            const application = renderApplication(set, template, params);
            applications.push({ application, origin, parameters: Object.keys(params) });
          } catch (error) {
            const place = { field: 'spec.template' };
            const { diagnosis } = within(error, {
              place,
              evidence: { generator: origin.field, element: origin.element },
            });
            failures.push({ reason: 'RenderTemplateParamsError', diagnosis, origin });
          }
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      failures.push({ reason: 'ApplicationGenerationFromParamsError', diagnosis: diagnosisOf(error) });
    }
  }
  const isEmpty = applications.length + failures.length + gaps.length === 0;
  return { applications, gaps, notices: [...told, ...(isEmpty ? emptyNotices(set) : [])], failures };
}

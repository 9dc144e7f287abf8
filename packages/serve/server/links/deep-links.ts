import { DiagnosisError, defineDiagnosis, diagnose, formatDiagnosis } from '@tiphys/diagnosis';
import { compile, ExpressionError } from '@tiphys/expr';
import { execute, goValue, parse, sprigFunctions, TemplateError, TemplateSet, type ValueMap } from '@tiphys/template';
import { parseDocuments } from '@tiphys/yaml';
import type { ServerContext } from '../context/server-context.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';

/** Why a link is left out although all of it can be read. */
class LinkRefused extends Error {}

const linkInvalid = defineDiagnosis('LinkInvalid', 'A link of argocd-cm cannot be made, so it is left out');

/** One entry of `application.links`, `resource.links` or `project.links`. */
interface Link {
  readonly title?: string;
  readonly url?: string;
  readonly description?: string;
  readonly 'icon.class'?: string;
  readonly if?: string;
}

/** What a template or a condition must not learn. */
const functions = new Map(
  [...sprigFunctions].filter(([name]) => !['env', 'expandenv', 'getHostByName'].includes(name)),
);

/**
 * The links of a key of argocd-cm for the objects that their templates and conditions speak of. Upstream rule: one that cannot be
 * made is left out and logged; conditions must be booleans. Addresses that a browser would run are left out too (CVE-2022-31035).
 */
export function deepLinks(
  { plane, log, clock }: Pick<ServerContext, 'plane' | 'log' | 'clock'>,
  key: 'application.links' | 'resource.links' | 'project.links',
  data: Readonly<Record<string, unknown>>,
): { items: { title: string; url: string; description?: string; iconClass?: string }[] } {
  const values = goValue(data) as ValueMap;
  const items = readLinks(key, plane.configMap('argocd-cm')[key]).flatMap((link, index) => {
    try {
      const holds =
        link.if === undefined || link.if === null ? true : compile(link.if).run(values, { now: () => clock.now() });
      if (typeof holds !== 'boolean') throw new LinkRefused(`the condition is ${String(holds)}, not true or false`);
      if (!holds) return [];
      return {
        title: link.title ?? '',
        url: addressOf(link.url ?? '', values),
        ...(link.description ? { description: link.description } : {}),
        ...(link['icon.class'] ? { iconClass: link['icon.class'] } : {}),
      };
    } catch (error) {
      if (![LinkRefused, ExpressionError, TemplateError, DiagnosisError].some((expected) => error instanceof expected))
        throw error;
      const problem = diagnose(linkInvalid, {
        message: `${key}[${index}] is left out: ${(error as Error).message}`,
        place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]` },
        remedies: ['Correct the entry'],
      });
      log('warn', formatDiagnosis(problem));
      return [];
    }
  });
  return { items };
}

function readLinks(key: string, text: string | undefined): readonly Link[] {
  if (!text?.trim()) return [];
  const value = parseDocuments(text, { file: `argocd-cm ${key}` }).documents[0]?.value;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidArgument(`${key} of argocd-cm is not a list`);
  return value as Link[];
}

function addressOf(template: string, values: ValueMap): string {
  const set = new TemplateSet();
  set.add(parse('deep-link', template, { functions }));
  const url = execute(set, 'deep-link', values, { functions }).text;
  // browsers pass over blanks and control characters when they look for the scheme
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.replace(/[\p{Cc}\s]/gu, ''))?.[1]?.toLowerCase();
  if (scheme && ['javascript', 'data', 'vbscript'].includes(scheme))
    throw new LinkRefused(`the address has the scheme ${scheme}`);
  return url;
}

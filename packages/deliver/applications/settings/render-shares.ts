import type { RenderShares } from '@tiphys/source';
import { commaList } from './comma-list.ts';

/** Keys of `argocd-cmd-params-cm`: `team-a=4,team-b=0.5`, and `team-a=1,*=3` where `*` is for all others. */
const keys = { weights: 'tiphys.render.weights', limits: 'tiphys.render.limits' } as const;

/** What the settings give each project of the threads that render; undefined if they cannot be read, which `problems` then tells. */
export function renderShares(
  parameters: Readonly<Record<string, string>>,
  problems: Map<string, string>,
): RenderShares | undefined {
  const before = problems.size;
  const weights = numbers(parameters, keys.weights, { problems, kind: /^\d{1,4}(\.\d{1,3})?$/, wanted: 'above 0' });
  const limits = numbers(parameters, keys.limits, { problems, kind: /^\d{1,4}$/, wanted: 'whole, from 1 on' });
  return problems.size > before ? undefined : { weights, limits };
}

function numbers(
  parameters: Readonly<Record<string, string>>,
  key: string,
  { problems, kind, wanted }: { problems: Map<string, string>; kind: RegExp; wanted: string },
): Map<string, number> {
  const found = new Map<string, number>();
  for (const item of commaList(parameters[key])) {
    const [project = '', text = '', ...rest] = item.split('=').map((part) => part.trim());
    if (!project || rest.length > 0 || !kind.test(text) || Number(text) === 0)
      problems.set(key, `found "${item}", wanted PROJECT=NUMBER with a number ${wanted}, separated by commas`);
    else found.set(project, Number(text));
  }
  return found;
}

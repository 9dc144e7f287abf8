import type { KubeObject } from '@tiphys/kubernetes';

/** What of a definition or an API service decides on what there is to watch. */
export function definitionFacts(object: KubeObject): string {
  const { spec, status } = object as KubeObject & {
    spec?: { versions?: { name?: string; served?: boolean }[] };
    status?: { conditions?: { type?: string; status?: string }[] };
  };
  const versions = spec?.versions?.map(({ name, served }) => `${name}:${served}`) ?? [];
  const conditions =
    status?.conditions
      ?.filter(({ type }) => type === 'Established' || type === 'Available')
      .map(({ type, status: value }) => `${type}:${value}`) ?? [];
  return [...versions, ...conditions].join(' ');
}

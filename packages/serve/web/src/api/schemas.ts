import { useQuery } from '@tanstack/react-query';
import { type KindSchema, linkedSchema, type Schema } from '../objects/schema.ts';
import { type ApplicationRef, request } from './client.ts';

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Kinds of the argoproj.io group, all of one version. */
export const argoKind = (kind: string): KindName => ({ group: 'argoproj.io', version: 'v1alpha1', kind });

/** What the cluster of an application says of a kind, or that of the control plane; undefined until it is known, and where it says nothing. */
export function useKindSchema({ group, version, kind }: KindName, application?: ApplicationRef): Schema | undefined {
  const path = application ? `applications/${encodeURIComponent(application.name)}/schema` : 'schema';
  const query = { group, version, kind, appNamespace: application?.namespace };
  const schema = useQuery({
    queryKey: ['schema', path, query],
    queryFn: async () => linkedSchema(await request<KindSchema>('GET', path, { root: 'api/tiphys/v1', query })),
    staleTime: 300_000,
    retry: false,
    // it holds itself, which cannot be compared
    structuralSharing: false,
  });
  return schema.data;
}

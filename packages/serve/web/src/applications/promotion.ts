import { differingManifests, type ObjectDifference } from '../objects/differences.ts';

interface PromotedObject {
  readonly base?: unknown;
  readonly head?: unknown;
}

interface PromotedVersion {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly left?: string;
}

/** What has to change so that another application delivers what one does, as the API answers. */
export interface Promotion {
  readonly images: readonly PromotedVersion[];
  /** Of charts and remote bases. */
  readonly versions: readonly PromotedVersion[];
  readonly files: readonly { readonly path: string; readonly action: string }[];
  readonly repoURL: string;
  readonly branch: string;
  readonly digest: string;
  readonly preview: {
    readonly items: readonly {
      readonly namespace: string;
      readonly name: string;
      readonly objects: readonly PromotedObject[];
      readonly problem?: { readonly message: string };
    }[];
  };
  /** Applications that change and are not shown. */
  readonly hidden: number;
  readonly commit?: string;
  readonly head?: string;
  readonly pullRequest?: string;
  readonly problem?: string;
}

/** What a promotion changes of one application's objects. */
export function promotedDifferences(objects: readonly PromotedObject[]): ObjectDifference[] {
  const texts = (side: 'base' | 'head') => objects.flatMap((each) => (each[side] ? [JSON.stringify(each[side])] : []));
  return differingManifests(texts('base'), texts('head'));
}

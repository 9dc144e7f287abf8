import { request } from './client.ts';
import type { Diagnosis } from './model.ts';

/** A value of a chart, with what files say of it, in their order: the last one counts. */
export interface ChartParameter {
  readonly name: string;
  /** As `helm --set` reads it, where that differs. */
  readonly set?: string;
  readonly isText: boolean;
  readonly value: string;
  readonly places: readonly { readonly file: string; readonly line: number; readonly value: string }[];
}

export interface PluginParameter {
  readonly name?: string;
  readonly title?: string;
  readonly tooltip?: string;
  readonly required?: boolean;
  readonly collectionType?: string;
  readonly string?: string;
  readonly array?: readonly string[];
  readonly map?: Readonly<Record<string, string>>;
}

/** What a source can be told, or why that is not known. */
export interface SourceParameters {
  readonly type: string;
  readonly helm?: {
    readonly valueFiles: readonly string[];
    readonly values: string;
    readonly parameters: readonly ChartParameter[];
  };
  readonly kustomize?: { readonly images: readonly string[] };
  readonly plugin?: { readonly parametersAnnouncement: readonly PluginParameter[] };
  readonly problem?: Diagnosis;
}

/** What each source of a draft can be told, in their order. */
export const sourceParameters = async (draft: unknown) =>
  (
    await request<{ items: readonly SourceParameters[] }>('POST', 'applications/parameters', {
      root: 'api/tiphys/v1',
      body: draft,
    })
  ).items;

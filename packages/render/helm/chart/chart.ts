import type { Value, ValueMap } from '@tiphys/template';
import type { LoadedValues } from './load-values.ts';

/** A file of a chart; the name is its path inside the chart. */
export interface ChartFile {
  readonly name: string;
  readonly data: Uint8Array;
}

export interface ChartDependency {
  name: string;
  readonly version: string;
  readonly repository: string;
  readonly condition: string;
  readonly tags: readonly string[];
  readonly alias: string;
  readonly importValues: readonly Value[];
  enabled: boolean;
}

/** Chart.yaml (and requirements.yaml of old charts). */
export interface ChartMetadata {
  readonly name: string;
  readonly home: string;
  readonly sources: readonly string[] | undefined;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[] | undefined;
  readonly maintainers: readonly { readonly name: string; readonly email: string; readonly url: string }[] | undefined;
  readonly icon: string;
  readonly apiVersion: string;
  readonly condition: string;
  readonly tags: string;
  readonly appVersion: string;
  readonly deprecated: boolean;
  readonly annotations: ReadonlyMap<string, string> | undefined;
  readonly kubeVersion: string;
  readonly dependencies: readonly ChartDependency[] | undefined;
  readonly type: string;
}

/** A chart with its subcharts. What loading gives is never changed: processing dependencies makes new charts. */
export interface Chart {
  /** Its own name, or its alias. */
  readonly name: string;
  readonly metadata: ChartMetadata;
  readonly templates: readonly ChartFile[];
  /** Every other file. */
  readonly files: readonly ChartFile[];
  readonly values: ValueMap;
  /** Where the keys of values.yaml stand. */
  readonly valuesSource: LoadedValues | undefined;
  readonly schema: Uint8Array | undefined;
  readonly dependencies: readonly Chart[];
}

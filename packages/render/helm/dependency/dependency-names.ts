import type { ChartMetadata } from '../chart/chart.ts';
import { chartInvalid } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';

/** CVE-2024-25620: a dependency's name is part of paths and URLs and may not lead elsewhere. */
export function checkDependencyNames({ dependencies = [] }: Pick<ChartMetadata, 'dependencies'>): void {
  for (const { name } of dependencies) {
    if (name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name)) continue;
    throw new HelmError(chartInvalid, `validation: dependency name ${JSON.stringify(name)} is not allowed`, {
      message: `Chart.yaml lists a dependency named ${JSON.stringify(name)}`,
      place: { file: 'Chart.yaml', field: 'dependencies' },
      remedies: ['Name the chart as its own Chart.yaml does, without a path'],
    });
  }
}

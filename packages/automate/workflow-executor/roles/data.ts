import { openStore } from '@tiphys/artifacts';
import { driverOf, keyOf, transformedJson } from '@tiphys/workflows';
import { accessOf } from '../outputs/artifact-place.ts';
import type { ArtifactLocation } from '../pod/template.ts';
import { Problems, type Work } from '../work/work.ts';

/** How many paths one template lists. */
const most = 100_000;

/** `data`: lists the artifacts that the template names and transforms the list by its expressions; the result is JSON. */
export async function data(work: Work): Promise<void> {
  const problems = new Problems();
  await problems.try(() => work.report.write({}));
  try {
    await problems.try(async () => {
      const { data: steps } = work.context.template;
      const result = transformedJson(await listed(work, steps?.source), steps?.transformation ?? []);
      await work.report.write({ outputs: { ...work.context.template.outputs, result } });
    });
  } finally {
    await problems.try(() => work.report.complete());
  }
  problems.throwFirst();
}

async function listed(
  { context, signal }: Work,
  source: NonNullable<Work['context']['template']['data']>['source'] | undefined,
): Promise<string[]> {
  if (!source?.artifactPaths) throw new Error('no valid source is used for data template');
  const location = listedPlace(source.artifactPaths, context.template.archiveLocation);
  const store = await openStore(location, accessOf(context, signal));
  const key = (keyOf(location) ?? '').replace(/(?<!\/)\/+$/, '');
  const names: string[] = [];
  try {
    for await (const name of store.files()) {
      names.push(key ? `${key}/${name}` : name);
      if (names.length > most) throw new Error(`There are more than ${most} artifacts below ${key}: narrow the key`);
    }
  } finally {
    await store.close();
  }
  return names;
}

/** What is listed may be without a key: then it is the whole bucket. What the location does not say is as in the template's. */
function listedPlace(wanted: ArtifactLocation, archive: ArtifactLocation | undefined): ArtifactLocation {
  const driver = driverOf(wanted) ?? driverOf(archive);
  if (!driver) throw new Error('template artifact location not set');
  const own = (wanted as Record<string, object | undefined>)[driver];
  const usual = (archive as Record<string, object | undefined> | undefined)?.[driver];
  return { [driver]: { ...usual, key: '', ...own } };
}

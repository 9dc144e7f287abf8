import {
  type AssembledValues,
  type Chart,
  leafOrigins,
  type Manifest,
  type RenderedChart,
  type ValueOrigin,
  type ValueOrigins,
  type ValuePath,
  valueOrigins,
  valuePaths,
} from '@tiphys/helm';
import type { DesiredObject } from '../request/desired-object.ts';
import {
  type FieldOrigin,
  type FieldValue,
  isWanted,
  type ValueGiver,
  type WantedObject,
} from '../request/field-origins.ts';

/** Stands before the names of files that the source chose: none of them can be taken for the defaults of a chart. */
const chosen = 'chosen:';

/** The name under which a file of values is assembled, so that `HelmFields` knows it again. */
export function chosenName(path: string): string {
  return `${chosen}${path}`;
}

/** More than an object that a person reads has: fields, values and conditions of one of them, and who gave one value. */
const most = { fields: 2_000, values: 30, conditions: 15, givers: 15 };

/** Tells where the fields of objects of one render come from, by paths of the repository. Needs a render with `trace`. */
export class HelmFields {
  readonly #fileOf: (source: string) => string;
  readonly #values: ValueOrigins;

  /** `assembled` of files that are called by `chosenName`; `fileOf` gives the path of what helm calls `web/templates/x.yaml`. */
  constructor(chart: Chart, assembled: AssembledValues, fileOf: (source: string) => string) {
    this.#fileOf = fileOf;
    this.#values = valueOrigins(chart, assembled);
  }

  /** The fields of the object that is asked for, in their order; undefined if the document does not hold it. */
  of(
    document: Manifest,
    rendered: RenderedChart,
    objects: readonly DesiredObject[],
    wanted: WantedObject,
  ): FieldOrigin[] | undefined {
    const index = objects.findIndex(({ object }) => isWanted(object, wanted));
    if (index < 0) return undefined;
    const leaves = leafOrigins(document, rendered);
    const isList = leaves.some(({ steps }) => steps[0] === 'items' && typeof steps[1] === 'number');
    return leaves
      .filter(({ steps }) => !isList || (steps[0] === 'items' && steps[1] === index))
      .slice(0, most.fields)
      .map((leaf) => ({
        path: isList ? leaf.steps.slice(2) : leaf.steps,
        value: leaf.value,
        place: this.#place(leaf),
        includedAt: leaf.callers.map((caller) => this.#place(caller)),
        values: this.#valuesOf(leaf.origins),
        functions: leaf.via,
        generatedBy: leaf.generated,
        conditions: [...leaf.because, ...leaf.choice]
          .slice(0, most.conditions)
          .map(({ kind, expression, origins, ...place }) => ({
            condition: `${kind === 'else' ? 'not' : kind} ${expression}`,
            place: this.#place(place),
            values: this.#valuesOf(valuePaths(origins)),
          })),
      }));
  }

  #place({ template, line }: { readonly template: string; readonly line: number }) {
    return { file: this.#fileOf(template), line };
  }

  #valuesOf(paths: readonly ValuePath[]): FieldValue[] {
    return paths.slice(0, most.values).map((value) => this.#value(value));
  }

  #value({ root, path, isKey, isEmpty }: ValuePath): FieldValue {
    return {
      name: [root, ...path].join('.'),
      ...(isKey ? { isKey } : {}),
      ...(isEmpty ? { isEmpty } : {}),
      ...(root === 'Values' ? { givenBy: this.#giversOf(path) } : {}),
    };
  }

  #giversOf(path: ValuePath['path']): ValueGiver[] {
    return this.#values
      .at(path)
      .slice(0, most.givers)
      .map((origin) => this.#giver(origin));
  }

  #giver({ source, line }: ValueOrigin): ValueGiver {
    // the value of a parameter may be a secret
    if (source.startsWith('--set')) return { parameter: /^--set[a-z-]* ([^=]*)/.exec(source)?.[1] ?? '' };
    if (!source.startsWith(chosen)) return { file: this.#fileOf(source), line };
    const path = source.slice(chosen.length);
    if (path.startsWith('spec.')) return { field: path, line };
    const referenced = /^\$([^/]+)\/(.*)$/.exec(path);
    return referenced ? { ref: referenced[1] ?? '', file: referenced[2] ?? '', line } : { file: path, line };
  }
}

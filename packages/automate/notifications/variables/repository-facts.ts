import {
  define,
  GoSlice,
  GoStruct,
  type GoType,
  namedType,
  parseTime,
  sliceOf,
  sliceOfString,
  type Value,
} from '@tiphys/template';

/** Who wrote a commit, and why. */
export interface CommitFacts {
  readonly message: string;
  readonly author: string;
  /** RFC 3339. */
  readonly date: string;
  readonly tags: readonly string[];
}

/** What a source can be told, by its tool. */
export interface SourceFacts {
  readonly type: string;
  readonly helm?: {
    readonly name: string;
    readonly valueFiles: readonly string[];
    readonly parameters: readonly { name: string; value: string }[];
    readonly values: string;
    readonly fileParameters: readonly { name: string; path: string }[];
    /** `spec.source.helm.parameters`, which come first. */
    readonly overrides: readonly { name: string; value: string }[];
  };
}

/** What templates may ask the repository of an object. */
export interface RepositoryQuestions {
  commit(object: Readonly<Record<string, unknown>>, revision: string): Promise<CommitFacts>;
  details(object: Readonly<Record<string, unknown>>): Promise<SourceFacts>;
}

const commitType = namedType('shared.CommitMetadata', {
  kind: 'struct',
  fields: ['Message', 'Author', 'Date', 'Tags'],
});

export function commitValue({ message, author, date, tags }: CommitFacts): Value {
  const time = parseTime('2006-01-02T15:04:05Z07:00', date);
  return new GoStruct(
    commitType,
    new Map<string, Value>([
      ['Message', message],
      ['Author', author],
      ['Date', typeof time === 'string' ? date : time],
      ['Tags', new GoSlice(sliceOfString, [...tags])],
    ]),
  );
}

const parameterType = namedType('v1alpha1.HelmParameter', { kind: 'struct', fields: ['Name', 'Value'] });
const fileParameterType = namedType('v1alpha1.HelmFileParameter', { kind: 'struct', fields: ['Name', 'Path'] });

class HelmFacts extends GoStruct {
  readonly facts: NonNullable<SourceFacts['helm']>;
  constructor(facts: NonNullable<SourceFacts['helm']>) {
    super(
      helmType,
      new Map<string, Value>([
        ['Name', facts.name],
        ['ValueFiles', new GoSlice(sliceOfString, [...facts.valueFiles])],
        [
          'Parameters',
          structs(
            parameterType,
            facts.parameters.map(({ name, value }) => ({ Name: name, Value: value })),
          ),
        ],
        ['Values', facts.values],
        [
          'FileParameters',
          structs(
            fileParameterType,
            facts.fileParameters.map(({ name, path }) => ({ Name: name, Path: path })),
          ),
        ],
      ]),
    );
    this.facts = facts;
  }
}

function structs(type: GoType, items: readonly Record<string, string>[]): Value {
  return new GoSlice(
    sliceOf(type),
    items.map((item) => new GoStruct(type, new Map<string, Value>(Object.entries(item)))),
  );
}

const helmType: GoType = namedType(
  'shared.CustomHelmAppSpec',
  { kind: 'struct', fields: ['Name', 'ValueFiles', 'Parameters', 'Values', 'FileParameters'] },
  {
    GetParameterValueByName: define('string', ([self, name]) => {
      const { overrides, parameters } = (self as HelmFacts).facts;
      return [...overrides, ...parameters].find((item) => item.name === name)?.value ?? '';
    }),
    GetFileParameterPathByName: define('string', ([self, name]) => {
      return (self as HelmFacts).facts.fileParameters.find((item) => item.name === name)?.path ?? '';
    }),
  },
);

const detailsType = namedType('shared.AppDetail', {
  kind: 'struct',
  fields: ['Type', 'Helm', 'Kustomize', 'Directory'],
});

export function detailsValue({ type, helm }: SourceFacts): Value {
  return new GoStruct(
    detailsType,
    new Map<string, Value>([
      ['Type', type],
      ['Helm', helm ? new HelmFacts(helm) : null],
      ['Kustomize', null],
      ['Directory', null],
    ]),
  );
}

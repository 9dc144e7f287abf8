import { type Diagnosis, DiagnosisError, diagnose } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { decodeText } from './decode-text.ts';
import type { DesiredObject } from './desired-object.ts';
import { manifestInvalid } from './diagnoses.ts';
import { excerpt, type ManifestDocument, readDocuments } from './yaml-documents.ts';

interface Context {
  readonly file: string;
  readonly text: string;
  readonly warn: (warning: Diagnosis) => void;
}

/**
 * The objects of a manifest file, lists taken apart. Upstream's rule for what is no manifest: a document without `kind`, or
 * one that cannot be read, ends the file, unless objects came before it or the text has `apiVersion`, `kind` and `metadata`;
 * then it is an error. What upstream leaves out in silence is a warning here, except for a plain mapping such as a values file.
 * Throws M9 with file, line and text for everything that is meant as a manifest but cannot be one.
 */
export function* parseManifest(
  bytes: Uint8Array,
  file: string,
  warn: (warning: Diagnosis) => void,
): Generator<DesiredObject> {
  let meant = looksLikeManifest(bytes);
  if (Buffer.from(bytes.subarray(0, lfsHeader.length)).toString('latin1') === lfsHeader) {
    warn(lfsPointer(file));
    return;
  }
  try {
    const text = decodeText(bytes, file);
    const context = { file, text, warn };
    for (const document of file.endsWith('.json') ? readJson(context) : readDocuments(text, file, warn)) {
      if (!isMapping(document.value) || typeof document.value.kind !== 'string' || document.value.kind === '') {
        if (!meant && isMapping(document.value)) {
          // what has an apiVersion and metadata was meant as an object; other mappings are files of other programs
          if ('apiVersion' in document.value && 'metadata' in document.value)
            warn(leftOut(noObject(document, context).diagnosis));
          return;
        }
        throw noObject(document, context);
      }
      meant = true;
      yield* flatten(document, context);
    }
  } catch (error) {
    if (meant || !(error instanceof DiagnosisError) || error.diagnosis.cause !== manifestInvalid.cause) throw error;
    warn(leftOut(error.diagnosis));
  }
}

/** The objects that a tool printed: every document must be one. Throws M9 as `parseManifest` does. */
export function* parseRendered(
  text: string,
  file: string,
  warn: (warning: Diagnosis) => void,
): Generator<DesiredObject> {
  const context = { file, text, warn };
  for (const document of readDocuments(text, file, warn)) {
    if (!isMapping(document.value) || typeof document.value.kind !== 'string' || document.value.kind === '')
      throw noObject(document, context);
    yield* flatten(document, context);
  }
}

/** The objects of a value that a program gave: one, or a list of them. Throws M9 as `parseManifest` does. */
export function* objectsOf(value: unknown, file: string): Generator<DesiredObject> {
  const context = { file, text: '', warn: () => undefined };
  for (const one of Array.isArray(value) ? value : [value]) {
    const document = { value: one, line: 1, lineOf: () => 1 };
    if (!isMapping(one) || typeof one.kind !== 'string' || one.kind === '') throw noObject(document, context);
    yield* flatten(document, context);
  }
}

const leftOut = (diagnosis: Diagnosis): Diagnosis => ({
  ...diagnosis,
  message: `The file is left out: ${diagnosis.message}`,
});

const lfsHeader = 'version https://git-lfs.github.com/spec/';

function lfsPointer(file: string): Diagnosis {
  return diagnose(manifestInvalid, {
    message: 'The file is left out: it is a pointer of Git LFS, and the repository is registered without enableLfs',
    place: { file, line: 1 },
    remedies: [{ text: 'Set it in the Secret of the repository', paste: 'enableLfs: "true"' }],
  });
}

function looksLikeManifest(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return ['apiVersion', 'kind', 'metadata'].every((key) => buffer.includes(`${key}:`) || buffer.includes(`"${key}"`));
}

type Mapping = Record<string, unknown>;

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function* readJson(context: Context): Generator<ManifestDocument> {
  const trimmed = context.text.trim();
  if (trimmed === '') return;
  let value: unknown;
  try {
    value = JSON.parse(context.text);
  } catch (error) {
    throw invalidJson(error as Error, context);
  }
  const line = 1 + leadingLines(context.text);
  yield { value, line, lineOf: () => line };
}

function leadingLines(text: string): number {
  return (/^\s*/.exec(text)?.[0].match(/\n/g) ?? []).length;
}

function invalidJson(error: Error, context: Context): DiagnosisError {
  const at = /position (\d+)/.exec(error.message)?.[1];
  const position = at === undefined ? context.text.length : Number(at);
  const before = context.text.slice(0, position).split('\n');
  const several = /after JSON/.test(error.message);
  return new DiagnosisError(
    diagnose(manifestInvalid, {
      message: several
        ? 'The JSON file has more than one object; only one is allowed'
        : `The file is not valid JSON: ${error.message.replace(/,? (?:\.\.\.)?".*| at position.*| \(line.*/s, '')}`,
      place: { file: context.file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
      evidence: { text: excerpt(context.text, before.length) },
      remedies: [
        several ? 'Put each object into a file of its own, or use a List or YAML' : 'Correct the file at this place',
      ],
    }),
  );
}

function* flatten(document: ManifestDocument, context: Context): Generator<DesiredObject> {
  const root = document.value as Mapping;
  const { items } = root;
  if (Array.isArray(items)) {
    for (const [index, item] of items.entries())
      yield checked(item, document.lineOf(['items', index]), `items[${index}]`, context);
    return;
  }
  // A typed list without items, such as `items: null`, is an empty list.
  if ('items' in root && items === null && !('spec' in root) && !('status' in root)) return;
  yield checked(root, document.line, '', context);
}

function checked(value: unknown, line: number, field: string, context: Context): DesiredObject {
  if (!isMapping(value))
    throw wrongShape(
      `An item of the list is ${describe(value)}, not an object`,
      line,
      field,
      context,
      'Make it an object with apiVersion, kind and metadata',
    );
  // Absent metadata are empty: the comparison tells of an object without any name. Hooks are named after their phase.
  const object = ('metadata' in value && value.metadata !== null ? value : { ...value, metadata: {} }) as KubeObject;
  const at = (name: string) => (field ? `${field}.${name}` : name);
  for (const name of ['apiVersion', 'kind'] as const) {
    if (typeof object[name] !== 'string' || object[name] === '') {
      throw wrongShape(
        `The object has no ${name}${name === 'apiVersion' && object.kind ? ` (its kind is ${String(object.kind)})` : ''}`,
        line,
        at(name),
        context,
        `Add ${name}, or leave the file out with directory.exclude`,
      );
    }
  }
  const { metadata } = object as { metadata?: unknown };
  if (!isMapping(metadata))
    throw wrongShape(`The ${object.kind} has no metadata`, line, at('metadata'), context, 'Add metadata.name');
  const isText = (name: unknown) => typeof name === 'string' && name !== '';
  if (metadata.name !== undefined && !isText(metadata.name) && !isText(metadata.generateName))
    throw wrongShape(
      `The ${object.kind} has no name`,
      line,
      at('metadata.name'),
      context,
      `Put the name into quotes: it is read as ${describe(metadata.name)}`,
    );
  return { object, origin: { file: context.file, line } };
}

/** Nothing of it is shown: what has no kind could be a Secret. */
function noObject({ value, line }: ManifestDocument, context: Context): DiagnosisError {
  const place = { file: context.file, line };
  if (isMapping(value))
    return new DiagnosisError(
      diagnose(manifestInvalid, {
        message: `The document has no kind${value.apiVersion ? ` (its apiVersion is ${String(value.apiVersion)})` : ''}`,
        place: { ...place, field: 'kind' },
        remedies: ['Add kind, or leave the file out with directory.exclude'],
      }),
    );
  return new DiagnosisError(
    diagnose(manifestInvalid, {
      message: `The document is ${describe(value)}, not an object`,
      place,
      remedies: [
        Array.isArray(value)
          ? 'Separate the objects by lines with --- instead of list dashes, or put them below items: of a List'
          : 'Make it an object with apiVersion, kind and metadata',
      ],
    }),
  );
}

function wrongShape(message: string, line: number, field: string, context: Context, remedy: string): DiagnosisError {
  return new DiagnosisError(
    diagnose(manifestInvalid, {
      message,
      place: { file: context.file, line, ...(field ? { field } : {}) },
      evidence: { text: excerpt(context.text, line) },
      remedies: [remedy],
    }),
  );
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'a mapping';
  // a text may be anything, also a password that was put into the wrong place
  return typeof value === 'string' ? 'a text' : `the ${typeof value} ${JSON.stringify(value)}`.slice(0, 80);
}

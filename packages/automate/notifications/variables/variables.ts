import { DiagnosisError } from '@tiphys/diagnosis';
import { define, FunctionError, toBytes, type Value, type ValueMap } from '@tiphys/template';
import { fullName, queryEscape, toHttps } from '../model/repository-url.ts';
import type { Settings } from '../settings/settings.ts';
import { hostFunction, stringFunctions, syncFunctions, timeFunctions } from './functions.ts';
import { objectMap } from './object-value.ts';
import { commitValue, detailsValue, type RepositoryQuestions } from './repository-facts.ts';

type ObjectJson = Readonly<Record<string, unknown>>;

export interface VariableSources {
  /** `app`, `rollout` …: the name by which templates and triggers know the object. */
  readonly variable: string;
  readonly object: ObjectJson;
  /** The project of an Application; `appProject` is empty without one. */
  readonly project?: ObjectJson | undefined;
  /** More values, by the names of variables. */
  readonly more?: Readonly<Record<string, readonly unknown[]>>;
  readonly settings: Settings;
  readonly now: () => number;
  /** What the repository is asked; without it, the functions that ask fail. */
  readonly questions?: RepositoryQuestions | undefined;
  /** For notifications: whom it goes to. */
  readonly destination?: { readonly service: string; readonly recipient: string } | undefined;
}

/** Thrown by a function whose answer is not there yet; who executes waits for it and executes again. */
class Pending extends Error {
  readonly wanted: Promise<unknown>;
  constructor(wanted: Promise<unknown>) {
    super('waits for an answer of the repository');
    this.wanted = wanted;
  }
}

/** More rounds than that are a template that never ends asking. */
const mostRounds = 50;

/** The variables of one object: answers of its repository are fetched when they are asked for first, and kept. */
export class Variables {
  readonly #sources: VariableSources;
  readonly #answers = new Map<string, { value: Value } | { error: unknown }>();
  #pending: Promise<unknown> | undefined;

  constructor(sources: VariableSources) {
    this.#sources = sources;
  }

  /** Runs what reads the variables, again each time that an answer has come. It has to do the same each time. */
  async read<T>(body: (variables: ValueMap) => T): Promise<T> {
    const values = this.#values();
    for (let round = 0; ; round++) {
      this.#pending = undefined;
      let result: T | undefined;
      let failure: unknown;
      try {
        result = body(values);
      } catch (error) {
        failure = error;
      }
      const pending = this.#pending as Promise<unknown> | undefined;
      if (pending && round < mostRounds) await pending;
      else if (failure !== undefined) throw failure;
      else return result as T;
    }
  }

  #values(): ValueMap {
    const { variable, object, project, settings, now, destination, more = {} } = this.#sources;
    const context = { notificationType: destination?.service ?? '', ...settings.context };
    const values: ValueMap = new Map<string, Value>([
      [variable, objectMap(object)],
      ['context', objectMap(context)],
      ['time', timeFunctions(now)],
      ['strings', stringFunctions],
      ['sync', syncFunctions],
      ['repo', this.#repository()],
    ]);
    for (const [name, value] of objectMap(more)) values.set(name, value);
    if (variable === 'app') values.set('appProject', objectMap(project ?? {}));
    if (!settings.isSelfService)
      values.set('secrets', new Map([...settings.secrets].map(([key, value]) => [key, toBytes(value)])));
    if (destination) values.set('serviceType', destination.service).set('recipient', destination.recipient);
    return values;
  }

  #repository(): ValueMap {
    const { object, questions } = this.#sources;
    return new Map<string, Value>([
      ['RepoURLToHTTPS', hostFunction(define('string', ([url]) => toHttps(url as string)))],
      ['FullNameByRepoURL', hostFunction(define('string', ([url]) => fullName(url as string)))],
      ['QueryEscape', hostFunction(define('string', ([text]) => queryEscape(text as string)))],
      [
        'GetCommitMetadata',
        hostFunction(
          define('string', ([revision]) =>
            this.#answer(`commit ${revision as string}`, async () =>
              commitValue(await asked(questions).commit(object, revision as string)),
            ),
          ),
        ),
      ],
      [
        'GetAppDetails',
        hostFunction(
          define('', () => this.#answer('details', async () => detailsValue(await asked(questions).details(object)))),
        ),
      ],
    ]);
  }

  #answer(key: string, ask: () => Promise<Value>): Value {
    const known = this.#answers.get(key);
    if (known && 'value' in known) return known.value;
    if (known) throw new FunctionError(messageOf(known.error));
    const wanted = ask().then(
      (value) => this.#answers.set(key, { value }),
      (error: unknown) => this.#answers.set(key, { error }),
    );
    this.#pending = wanted;
    throw new Pending(wanted);
  }
}

function asked(questions: RepositoryQuestions | undefined): RepositoryQuestions {
  if (questions) return questions;
  throw new FunctionError(
    'this process can not read repositories: run the notifications together with the controllers',
  );
}

function messageOf(error: unknown): string {
  if (error instanceof DiagnosisError) return error.diagnosis.message;
  return error instanceof Error ? error.message : String(error);
}

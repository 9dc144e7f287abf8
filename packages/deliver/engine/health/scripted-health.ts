import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { compileGlob } from '@tiphys/glob';
import { describeKey, type KubeObject, keyOf, parseApiVersion } from '@tiphys/kubernetes';
import { type Json, Script, ScriptError, type ScriptFailure } from '@tiphys/lua';
import type { Health, HealthCode } from '../model/model.ts';

const scriptFailed = defineDiagnosis(
  'HealthScriptFailed',
  'A health check in Lua gave no result for an object, so its health is Unknown',
);
const scriptInvalid = defineDiagnosis('HealthScriptInvalid', 'A health check in the settings is no Lua');

/** A health check of the settings. */
export interface HealthScript {
  /** `group/Kind`, or the kind alone for the core group; globs are allowed in both. */
  readonly pattern: string;
  readonly source: string;
  /** Whether the string, math, coroutine and os libraries are open. */
  readonly openLibraries: boolean;
  /** The key of `argocd-cm` that holds it. */
  readonly key: string;
}

interface Compiled {
  readonly setting: HealthScript;
  /** What runs: the last source that was Lua; undefined if there was none. */
  readonly running: { readonly script: Script; readonly source: string } | undefined;
  readonly problem: ScriptFailure | undefined;
  readonly matches: (name: string) => boolean;
}

const codes: ReadonlySet<string> = new Set<HealthCode>([
  'Healthy',
  'Suspended',
  'Progressing',
  'Missing',
  'Degraded',
  'Unknown',
]);

/**
 * Health by the scripts of the settings. An exact `group/Kind` goes before a pattern, a longer pattern before a shorter
 * one. A script that is no Lua does not replace the one that was there before: that one goes on, and `problems` tells.
 */
export class ScriptedHealth {
  readonly #compiled: readonly Compiled[];
  readonly #now: () => number;
  readonly #chosen = new Map<string, Compiled | undefined>();

  constructor(scripts: readonly HealthScript[], now: () => number, before?: ScriptedHealth) {
    this.#now = now;
    this.#compiled = scripts
      .filter(({ source }) => source !== '')
      .map((setting) => compiled(setting, before))
      .sort((a, b) => order(a.setting) - order(b.setting) || (a.setting.pattern < b.setting.pattern ? -1 : 1));
  }

  /**
   * Health by the script of the object's kind: null if it has one that says nothing, undefined if it has none.
   * A script that fails makes it Unknown, with its error as the message, as upstream.
   */
  custom(object: KubeObject): Health | null | undefined {
    const { group } = parseApiVersion(object.apiVersion);
    const chosen = this.#choose(group, object.kind);
    if (!chosen) return undefined;
    try {
      if (!chosen.running) throw new ScriptError(chosen.problem as ScriptFailure);
      const result = chosen.running.script.run(
        { obj: object },
        { openLibraries: chosen.setting.openLibraries, now: this.#now },
      );
      if (result.type === 'nil') return null;
      if (result.type !== 'table') {
        const message = `expect table output from Lua script, not ${result.type}`;
        throw new ScriptError({ kind: 'result', message });
      }
      return healthFrom(result.json());
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return { status: 'Unknown', message: error.message, diagnosis: failed(chosen.setting, object, error.failure) };
    }
  }

  /** Changes if the kind is assessed by another script than before; empty if by none. */
  signature(group: string, kind: string): string {
    const chosen = this.#choose(group, kind);
    return chosen ? JSON.stringify([chosen.running?.source, chosen.problem, chosen.setting.openLibraries]) : '';
  }

  /** Scripts for one of the kinds that are no Lua. */
  problems(kinds: Iterable<{ readonly group: string; readonly kind: string }>): Diagnosis[] {
    const chosen = new Set([...kinds].map(({ group, kind }) => this.#choose(group, kind)));
    return [...chosen].flatMap((entry) => {
      if (!entry?.problem) return [];
      const { setting, problem, running } = entry;
      return diagnose(scriptInvalid, {
        message: `the health check of ${setting.pattern} is no Lua: ${problem.message}`,
        place: placeOf(setting, problem),
        evidence: { 'in use': running ? 'the last one that was' : 'none: the health is Unknown' },
        remedies: ['Correct the script, or remove the key'],
      });
    });
  }

  /** What runs for a setting that was there before. */
  last({ key, pattern }: HealthScript): Compiled['running'] {
    return this.#compiled.find(({ setting }) => setting.key === key && setting.pattern === pattern)?.running;
  }

  #choose(group: string, kind: string): Compiled | undefined {
    const name = group ? `${group}/${kind}` : kind;
    if (!this.#chosen.has(name)) {
      const exact = this.#compiled.find(({ setting }) => setting.pattern === name);
      this.#chosen.set(name, exact ?? this.#compiled.find(({ matches }) => matches(name)));
    }
    return this.#chosen.get(name);
  }
}

function compiled(setting: HealthScript, before: ScriptedHealth | undefined): Compiled {
  const matches = compileGlob(setting.pattern);
  const last = before?.last(setting);
  if (last?.source === setting.source) return { setting, running: last, problem: undefined, matches };
  try {
    const running = { script: new Script(setting.source), source: setting.source };
    return { setting, running, problem: undefined, matches };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { setting, running: last, problem: error.failure, matches };
  }
}

/** Longer patterns say more. */
function order({ pattern }: HealthScript): number {
  return -pattern.replace(/[*?]/g, '').length;
}

/** Upstream's rules for what a script returns: an empty table, or fields of other types, say nothing. */
function healthFrom(value: Json): Health | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return null;
  const field = (name: string) => Object.entries(value).findLast(([key]) => key.toLowerCase() === name)?.[1] ?? '';
  const [status, message] = [field('status'), field('message')];
  if (typeof status !== 'string' || typeof message !== 'string') return null;
  if (!codes.has(status)) return { status: 'Unknown', message: 'Lua returned an invalid health status' };
  return { status: status as HealthCode, ...(message ? { message } : {}) };
}

function failed(setting: HealthScript, object: KubeObject, failure: ScriptFailure): Diagnosis {
  const name = object.metadata.name ?? '';
  const namespace = object.metadata.namespace ?? '';
  return diagnose(scriptFailed, {
    message: `error setting app health: failed to get resource health for "${object.kind}" with name "${name}" in namespace "${namespace}": ${failure.message}`,
    place: placeOf(setting, failure),
    evidence: { object: describeKey(keyOf(object)), script: setting.pattern, error: failure.message },
    remedies: [
      failure.kind === 'stopped'
        ? 'Make the script end: it was stopped at its limit'
        : 'Correct the script; test fields that may be missing with `~= nil` before they are read',
    ],
  });
}

function placeOf({ key }: HealthScript, { line }: ScriptFailure) {
  return { object: 'ConfigMap argocd-cm', field: `data["${key}"]`, ...(line === undefined ? {} : { line }) };
}

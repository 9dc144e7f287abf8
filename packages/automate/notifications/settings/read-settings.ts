import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { type JsonValue, parseYaml, YamlError } from '@tiphys/yaml';
import { secretKeyMissing, settingsInvalid } from '../model/diagnoses.ts';
import { type Condition, type Json, type JsonMap, list, map, strings, text, textMap } from '../model/notification.ts';
import { parseSelector } from './label-selector.ts';
import { applyLegacy } from './legacy.ts';
import { resolveReferences } from './secret-references.ts';
import type { GlobalSubscription, ServiceSettings, Settings } from './settings.ts';

export interface SettingsSource {
  readonly namespace: string;
  readonly isSelfService: boolean;
  /** Name of the ConfigMap, for messages. */
  readonly configMapName: string;
  readonly secretName: string;
  readonly configMap: ReadonlyMap<string, string>;
  /** Decoded. */
  readonly secret: ReadonlyMap<string, string>;
}

/** Settings while they are read. */
export interface Draft {
  services: Map<string, ServiceSettings>;
  triggers: Map<string, Condition[]>;
  templates: Map<string, JsonMap>;
  subscriptions: GlobalSubscription[];
  defaultTriggers: string[];
  serviceDefaultTriggers: Map<string, string[]>;
  context: Record<string, string>;
  problems: Diagnosis[];
  unknownKeys: string[];
}

/**
 * Reads what `argocd-notifications-cm` and its Secret say. An entry that can not be read is left out and told of in
 * `problems`: upstream stops all notifications then.
 */
export function readSettings(source: SettingsSource): Settings {
  const draft: Draft = {
    services: new Map(),
    triggers: new Map(),
    templates: new Map(),
    subscriptions: [],
    defaultTriggers: [],
    serviceDefaultTriggers: new Map(),
    context: {},
    problems: [],
    unknownKeys: [],
  };
  for (const [key, value] of source.configMap) {
    try {
      readEntry(draft, source, key, value);
    } catch (error) {
      draft.problems.push(entryProblem(source, key, error));
    }
  }
  for (const [key, apply] of applyLegacy(source)) {
    try {
      apply(draft);
    } catch (error) {
      draft.problems.push(entryProblem(source, key, error));
    }
  }
  return {
    ...draft,
    namespace: source.namespace,
    configMapName: source.configMapName,
    isSelfService: source.isSelfService,
    secrets: source.isSelfService ? new Map() : source.secret,
  };
}

/** Entries of the first releases, which are read in their own way. */
const legacyKeys: ReadonlySet<string> = new Set(['config.yaml']);

function readEntry(draft: Draft, source: SettingsSource, key: string, value: string): void {
  const [kind, ...rest] = key.split('.');
  const name = rest.join('.');
  const document = (): Json => parseYaml(value, { file: key }) as JsonValue as Json;
  if (key === 'subscriptions') draft.subscriptions = list(document()).map(globalSubscription);
  else if (key === 'defaultTriggers') draft.defaultTriggers = namesIn(document());
  else if (key === 'context') draft.context = textMap(document());
  else if (kind === 'defaultTriggers' && name) draft.serviceDefaultTriggers.set(name, namesIn(document()));
  else if (kind === 'template' && name) draft.templates.set(name, section(document()));
  else if (kind === 'trigger' && name) draft.triggers.set(name, list(document()).map(condition));
  else if (kind === 'service' && name) readService(draft, source, rest, document());
  else if (!legacyKeys.has(key)) draft.unknownKeys.push(key);
}

function readService(draft: Draft, source: SettingsSource, parts: readonly string[], document: Json): void {
  const [type, name = type] = parts as [string, string?];
  if (parts.length > 2)
    throw new Error(`a service is service.TYPE or service.TYPE.NAME, found service.${parts.join('.')}`);
  const { value, missing } = resolveReferences(section(document), source.secret);
  draft.services.set(name, { type, options: value as JsonMap, missing });
  for (const wanted of missing)
    draft.problems.push(
      diagnose(secretKeyMissing, {
        message: `The service ${name} refers to $${wanted}, and the Secret ${source.secretName} has no key ${wanted}`,
        place: {
          object: `ConfigMap ${source.namespace}/${source.configMapName}`,
          field: `data["service.${parts.join('.')}"]`,
        },
        evidence: { 'keys of the Secret': [...source.secret.keys()].sort().join(', ') || '(none)' },
        remedies: [
          {
            text: 'Add the key',
            paste: `kubectl -n ${source.namespace} patch secret ${source.secretName} -p '{"stringData": {"${wanted}": "..."}}'`,
          },
        ],
      }),
    );
}

/** A YAML document that has to be a map. */
function section(document: Json): JsonMap {
  if (document === null) return {};
  if (typeof document !== 'object' || Array.isArray(document))
    throw new Error(`wanted a map, found ${Array.isArray(document) ? 'a list' : typeof document}`);
  return document;
}

function namesIn(document: Json): string[] {
  if (document !== null && !Array.isArray(document)) throw new Error('wanted a list of names of triggers');
  return strings(document);
}

function condition(item: Json): Condition {
  const fields = section(item);
  return {
    when: text(fields.when),
    description: text(fields.description),
    send: strings(fields.send),
    oncePer: text(fields.oncePer),
  };
}

export function globalSubscription(item: Json): GlobalSubscription {
  const fields = map(item);
  const selector = text(fields.selector);
  const matches = parseSelector(selector);
  if (!matches) throw new Error(`the selector "${selector}" is no label selector`);
  return { recipients: strings(fields.recipients), triggers: strings(fields.triggers), matches };
}

function entryProblem(source: SettingsSource, key: string, error: unknown): Diagnosis {
  const reason = error instanceof YamlError ? error.goMessage : error instanceof Error ? error.message : String(error);
  return diagnose(settingsInvalid, {
    message: `The entry ${key} can not be read: ${reason}`,
    place: { object: `ConfigMap ${source.namespace}/${source.configMapName}`, field: `data["${key}"]` },
    remedies: ['Correct the entry; everything else of the ConfigMap is in use'],
  });
}

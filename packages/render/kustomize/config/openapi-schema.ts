import { parseYaml } from '@tiphys/yaml';
import { GoError, goMessageOf } from '../failure/go-error.ts';
import { builtinSchema, builtinSchemaVersion, kustomizationSchema } from './builtin-schema.ts';
import { isRecord, kindsOf, type SchemaNode, schemaNode, scopesOf } from './schema-node.ts';

/**
 * The schemas of a build: Kustomize's own, or those of a file that `openapi` names. The rules for when both count are
 * Kustomize's: what is read later wins, and its own are read after all if a kind that they do not have was met before the
 * file was named.
 */
export class Schemas {
  #file: Uint8Array | undefined;
  #version = '';
  #stale = true;
  #builtin: 'unread' | 'wanted' | 'read' = 'unread';
  readonly #definitions = new Map<string, SchemaNode>();
  readonly #kinds = new Map<string, SchemaNode>();
  readonly #scopes = new Map<string, boolean>();

  /** Takes over what `openapi` says; without `reset` only if no kustomization before said something. */
  set(openapi: ReadonlyMap<string, string> | undefined, file: Uint8Array | undefined, reset: boolean): void {
    if ((this.#version !== '' || this.#file !== undefined) && !reset) return;
    const version = openapi?.get('version');
    if (file !== undefined) {
      if (version !== undefined)
        throw new GoError('builtin version and custom schema provided, cannot use both', {
          remedies: ['Remove version or path from openapi'],
        });
      this.#file = file;
      this.#version = 'custom';
      this.#stale = true;
      return;
    }
    this.#version = version ?? '';
    if (this.#version === '') return;
    if (this.#version !== builtinSchemaVersion)
      throw new GoError('the specified OpenAPI version is not built in', {
        remedies: [`Use ${builtinSchemaVersion}, the one that Kustomize has, or give a file in openapi.path`],
      });
    this.#file = undefined;
    this.#stale = true;
  }

  /** The schema of a kind; undefined if it is not known. */
  ofKind(apiVersion: string, kind: string): SchemaNode | undefined {
    this.#read();
    return this.#kinds.get(`${apiVersion} ${kind}`);
  }

  field(schema: SchemaNode, name: string): SchemaNode | undefined {
    return this.#resolved(schema.f && Object.hasOwn(schema.f, name) ? schema.f[name] : schema.v);
  }

  elements(schema: SchemaNode): SchemaNode | undefined {
    return this.#resolved(schema.e);
  }

  /** Whether the custom schema says that the kind has a namespace; undefined if it does not say. */
  isNamespaced(apiVersion: string, kind: string): boolean | undefined {
    if (this.#stale) {
      if (this.#file !== undefined) this.#read();
      else if (this.#builtin === 'unread') this.#builtin = 'wanted';
    }
    return this.#scopes.get(`${apiVersion} ${kind}`);
  }

  #resolved(schema: SchemaNode | undefined): SchemaNode | undefined {
    let at = schema;
    for (let steps = 0; at?.r !== undefined; steps++) at = steps < 100 ? this.#definitions.get(at.r) : undefined;
    return at;
  }

  #read(): void {
    if (!this.#stale) return;
    this.#stale = false;
    if (this.#file !== undefined) this.#readFile(this.#file);
    else this.#readBuiltin();
    if (this.#builtin === 'wanted') this.#readBuiltin();
    this.#kinds.set('kustomize.config.k8s.io/v1beta1 Kustomization', kustomizationSchema);
  }

  #readBuiltin(): void {
    this.#builtin = 'read';
    const { definitions, kinds } = builtinSchema();
    for (const [name, node] of Object.entries(definitions)) this.#definitions.set(name, node);
    for (const [kind, name] of Object.entries(kinds)) this.#kinds.set(kind, definitions[name] as SchemaNode);
  }

  #readFile(file: Uint8Array): void {
    const text = Buffer.from(file).toString('utf8');
    let document: unknown;
    try {
      document = text.startsWith('{') ? JSON.parse(text) : parseYaml(text);
    } catch (error) {
      throw new GoError(`invalid schema file: ${goMessageOf(error)}`, { cause: error });
    }
    if (!isRecord(document)) return;
    if (isRecord(document.definitions))
      for (const [name, part] of Object.entries(document.definitions)) {
        if (!isRecord(part)) continue;
        const node = schemaNode(part);
        this.#definitions.set(name, node);
        for (const kind of kindsOf(part)) this.#kinds.set(kind, node);
      }
    for (const [kind, namespaced] of scopesOf(document.paths))
      if (namespaced || !this.#scopes.has(kind)) this.#scopes.set(kind, namespaced);
  }
}

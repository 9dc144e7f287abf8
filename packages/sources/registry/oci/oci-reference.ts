import { referenceInvalid } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';

/** Where an artifact is: `registry/repository`, and a tag or a digest if one was given. */
export interface OciReference {
  /** Host and port. */
  readonly registry: string;
  readonly repository: string;
  /** In the registry's form (`_` for `+`); empty if none was given. */
  readonly tag: string;
  /** `sha256:…`; empty if none was given. */
  readonly digest: string;
}

const repositoryPattern = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;
/** Nothing that is a name is longer; the bound keeps matching cheap. */
const maxLength = 1024;

/** Reads `oci://host[:port]/path[:tag][@digest]`, with or without the scheme. A `+` of the tag becomes `_`. */
export function parseOciReference(text: string): OciReference {
  let rest = text.replace(/^oci:\/\//, '');
  const at = rest.lastIndexOf('@');
  const digest = at < 0 ? '' : rest.slice(at + 1);
  if (at >= 0) rest = rest.slice(0, at);
  const slash = rest.indexOf('/');
  if (slash < 0) throw invalid('missing registry or repository', text);
  const registry = rest.slice(0, slash);
  const path = rest.slice(slash + 1);
  const colon = path.indexOf(':');
  const repository = colon < 0 ? path : path.slice(0, colon);
  const tag = colon < 0 ? '' : path.slice(colon + 1).replaceAll('+', '_');
  if (!isHost(registry)) throw invalid(`invalid registry ${JSON.stringify(registry)}`, text);
  if (repository.length > maxLength || !repositoryPattern.test(repository))
    throw invalid(`invalid repository ${JSON.stringify(repository)}`, text);
  if (tag !== '' && !tagPattern.test(tag)) throw invalid(`invalid tag ${JSON.stringify(tag)}`, text);
  if (digest !== '' && !digestPattern.test(digest)) throw invalid(`invalid digest ${JSON.stringify(digest)}`, text);
  return { registry, repository, tag, digest };
}

/** The form in which helm and people write it. */
export function formatOciReference({ registry, repository, tag, digest }: OciReference): string {
  const name = `${registry}/${repository}`;
  if (tag !== '') return `${name}:${tag}`;
  return digest === '' ? name : `${name}@${digest}`;
}

/** True for a digest of an algorithm that is checked. */
export function isDigest(text: string): boolean {
  return digestPattern.test(text);
}

function isHost(text: string): boolean {
  return text.length <= 255 && /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(text);
}

function invalid(reason: string, text: string): RegistryError {
  return new RegistryError(referenceInvalid, `invalid reference: ${reason}`, {
    message: `${JSON.stringify(text)} is not the name of an OCI artifact: ${reason}`,
    remedies: ['Write it as registry.example.com/path/chart, lower-case, with :tag or @sha256:… if you want'],
  });
}

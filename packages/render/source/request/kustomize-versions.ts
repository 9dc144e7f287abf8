import { failure } from '@tiphys/diagnosis';
import { kustomizeOptionInvalid } from './diagnoses.ts';

/** A kustomize program that the operator registered for applications that ask for its version. */
export interface KustomizeVersion {
  /** File of the program, where sources are rendered. */
  readonly path: string;
  /** `kustomize.buildOptions.VERSION`; the default ones if absent. */
  readonly buildOptions?: string;
  /** Keys that say different things. */
  readonly twice?: boolean;
}

const prefixes = ['kustomize.version.', 'kustomize.path.'];
const optionsPrefix = 'kustomize.buildOptions.';

/** The versions that argocd-cm registers, with `kustomize.version.VERSION` or `kustomize.path.VERSION`. */
export function kustomizeVersions(data: Readonly<Record<string, string>>): Readonly<Record<string, KustomizeVersion>> {
  const versions: Record<string, KustomizeVersion> = {};
  for (const [key, path] of Object.entries(data)) {
    const prefix = prefixes.find((candidate) => key.startsWith(candidate));
    if (prefix === undefined) continue;
    const version = key.slice(prefix.length);
    const buildOptions = data[optionsPrefix + version];
    versions[version] = {
      path,
      ...(buildOptions === undefined ? {} : { buildOptions }),
      ...(Object.hasOwn(versions, version) ? { twice: true } : {}),
    };
  }
  return versions;
}

/** The program of a version. Throws in upstream's words if nobody registered it. */
export function registeredVersion(
  version: string,
  versions: Readonly<Record<string, KustomizeVersion>>,
): KustomizeVersion {
  const place = { field: 'spec.source.kustomize.version' };
  const known = Object.hasOwn(versions, version) ? versions[version] : undefined;
  if (!known)
    throw failure(kustomizeOptionInvalid, {
      message: `kustomize version ${version} is not registered`,
      place,
      evidence: { registered: Object.keys(versions).sort().join(', ') || 'none', 'built in': '5.8' },
      remedies: [
        'Leave the version out: Kustomize 5.8 is built in',
        {
          text: 'Or register a program of this version in the ConfigMap argocd-cm',
          paste: `kustomize.path.${version}: /custom-tools/kustomize_${version}`,
        },
      ],
    });
  if (known.twice)
    throw failure(kustomizeOptionInvalid, {
      message: `found duplicate kustomize version: ${version}`,
      place: { object: 'ConfigMap argocd-cm', field: `kustomize.path.${version}` },
      remedies: [`Keep one of kustomize.path.${version} and kustomize.version.${version}`],
    });
  return known;
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { ArtifactAccess } from '@tiphys/artifacts';
import { driverOf, hasLocation, keyOf, locationIn, withKey } from '@tiphys/workflows';
import type { PodContext } from '../pod/pod-context.ts';
import type { ArtifactLocation } from '../pod/template.ts';

/** Where an artifact is, with all that its store needs. */
export interface Place {
  readonly location: ArtifactLocation;
  /** Empty for stores without keys. */
  readonly key: string;
}

/** The place of an artifact: its own location, else its key in the location of the template. Throws if neither says it. */
export function placeOf({ template }: PodContext, artifact: ArtifactLocation): Place {
  return placeIn(artifact, template.archiveLocation);
}

/** The same for a location that stands elsewhere than in the template. */
export function placeIn(artifact: ArtifactLocation, archive: ArtifactLocation | undefined): Place {
  const location = locationIn(artifact, archive);
  return { location, key: keyOf(location) ?? '' };
}

/** An artifact without a key gets one below that of its template: as what is reported, which has the key alone. */
export function withPlace<T extends ArtifactLocation>({ template }: PodContext, artifact: T, fileName: string): T {
  if (hasLocation(artifact) || keyOf(artifact) !== undefined) return artifact;
  const archive = template.archiveLocation;
  const driver = driverOf(archive);
  const key = archive ? keyOf(archive) : undefined;
  if (!archive || !driver || key === undefined) throw new Error('template artifact location not set');
  const below = `${key.replace(/(?<!\/)\/+$/, '')}/${fileName}`;
  const own =
    driver === 'artifactory' || driver === 'http'
      ? withKey(archive, below)
      : withKey({ [driver]: {} } as ArtifactLocation, below);
  return { ...artifact, [driver]: own[driver as 's3'] };
}

/** Secrets are mounted by the controller; whatever else the pod may is the workflow's own. */
export function accessOf({ folders, env }: PodContext, signal?: AbortSignal): ArtifactAccess {
  trustImage();
  return {
    secret: async ({ name, key }) => await readFile(join(folders.secrets, name, key), 'utf8'),
    ambient: true,
    pluginSocket: (name) => join(folders.plugins, name, 'socket'),
    env,
    ...(signal ? { signal } : {}),
  };
}

let isTrusting = false;

/** Stores are trusted as by other programs of the image. Read late: it takes as long as the rest of a start. */
function trustImage(): void {
  if (isTrusting) return;
  isTrusting = true;
  setDefaultCACertificates([...getCACertificates('default'), ...getCACertificates('system')]);
}
